import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { noSuchConnection } from '../../../features/connectors/connections/connection-store.ts';
import { noSuchConversation } from '../../../features/conversations/conversation.ts';
import { noSuchInvitation } from '../../../features/identity/invitations/revoke-invitation.ts';
import { noSuchMember } from '../../../features/identity/people/change-role.ts';
import { isRepositoryId } from '../../../features/repositories/repository-id.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import {
  type ConnectionId,
  type ConversationId,
  type InvitationId,
  isUuid,
  type RepositoryId,
  type UserId,
} from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type LineRange, parseLineRange } from '../../../foundation/kernel/wire/line-range.ts';
import { pageLimits } from '../../../foundation/kernel/wire/page.ts';
import { accessOf } from '../../fastify/request-fields.ts';

export const organizationPath = z.object({ orgSlug: z.string().describe('Slug of the organization.') });

export const repositoryPath = organizationPath.extend({ id: z.string().describe('Id of the repository.') });

export const connectionPath = organizationPath.extend({ id: z.string().describe('Id of the connection.') });

export const conversationPath = organizationPath.extend({
  id: z.string().describe('Id of the conversation.'),
});

export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(pageLimits.max).default(pageLimits.default),
  cursor: z.string().min(1).max(500).optional().describe('`nextCursor` of the previous page.'),
});

export type PageQuery = z.output<typeof pageQuery>;

/** A range of lines in a query. */
export const linesText = z.string().min(1).max(40).optional();

/** Parses `linesText`. @throws InvalidInput */
export function linesOf(text: z.output<typeof linesText>): LineRange | undefined {
  return text === undefined ? undefined : parseLineRange(text);
}

/** Repositories in a query. */
export const repositoriesText = z
  .string()
  .max(5_000)
  .optional()
  .describe('Names or ids of the repositories to search, separated by commas. Default: all.');

/** Splits `repositoriesText`. */
export function namesIn(text: z.output<typeof repositoriesText>): readonly string[] | undefined {
  return text?.split(',').map((name) => name.trim());
}

/** Returns the organization that the caller was admitted to. */
export function scopeOf(request: FastifyRequest): OrgScope {
  return accessOf(request).scope;
}

/**
 * Parses the id of a repository in a path. Text in another format is treated like an unknown id.
 * @throws NotFound
 */
export function repositoryIdOf(text: string): RepositoryId {
  if (isRepositoryId(text)) return text;
  throw new NotFound('There is no such repository in this organization.');
}

/**
 * Parses the id of a connection in a path.
 * @throws NotFound
 */
export function connectionIdOf(text: string): ConnectionId {
  if (isUuid(text)) return text as ConnectionId;
  throw noSuchConnection();
}

/**
 * Parses the id of a conversation in a path.
 * @throws NotFound
 */
export function conversationIdOf(text: string): ConversationId {
  if (isUuid(text)) return text as ConversationId;
  throw noSuchConversation();
}

/**
 * Parses the id of an invitation in a path.
 * @throws NotFound
 */
export function invitationIdOf(text: string): InvitationId {
  if (isUuid(text)) return text as InvitationId;
  throw noSuchInvitation();
}

/**
 * Parses the user id of a member in a path.
 * @throws NotFound
 */
export function userIdOf(text: string): UserId {
  if (isUuid(text)) return text as UserId;
  throw noSuchMember();
}
