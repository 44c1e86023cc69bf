import { z } from 'zod';
import { findReferences as find } from '../../../features/references/find-references.ts';
import { referenceKind } from '../../../features/references/reference-record.ts';
import { quotedNote } from './page-notes.ts';
import { referenceText } from './reference-text.ts';
import { defineTool } from './tool.ts';

const usual = 50;

const input = z.object({
  name: z.string().optional().describe('A name, also a qualified one such as Lease.renew.'),
  address: z
    .string()
    .optional()
    .describe('In place of the name: the line of a definition, repository/path:10.'),
  repositories: z.array(z.string()).max(50).optional().describe('By name.'),
  kind: referenceKind.optional().describe('Only lines that use the name in this way.'),
  limit: z.int().min(1).max(200).default(usual).describe('Lines.'),
  cursor: z.string().optional(),
});

export const findReferences = defineTool({
  name: 'find_references',
  description:
    'Finds every use of a function, type or other name in all repositories, complete and counted, with tests and aliases. ' +
    'Lines without a mark certainly mean its definition; (possible) and text are less. With the address of a definition, ' +
    'lines that mean another one of the name are left out and counted.',
  input,
  async run(request, { deps, access, signal }) {
    const references = { ...deps.answers, knowledge: deps.knowledge };
    const page = await find(references, access.scope, request, signal);
    const isLarge = request.limit > usual;
    return `${referenceText(page, isLarge, request.kind)}\n${quotedNote}`;
  },
});
