import { describe, expect, it } from 'vitest';
import { pruneComponents } from './prune-components.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

describe('pruneComponents', () => {
  it('keeps components that a path references, directly or through another one, and removes the rest', () => {
    const pruned = pruneComponents({
      paths: { '/a': { get: { responses: [ref('Page')] } } },
      components: {
        securitySchemes: { bearer: {} },
        schemas: {
          Page: { items: ref('Item') },
          Item: { parent: ref('Item') },
          PageInput: { items: ref('ItemInput') },
          ItemInput: {},
        },
      },
    });
    expect(Object.keys(pruned.components.schemas)).toEqual(['Item', 'Page']);
    expect(pruned.components.securitySchemes).toEqual({ bearer: {} });
  });
});
