import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import type { Access, Role } from '../../../features/identity/access/principal.ts';
import type { AuditActor } from '../../../features/identity/audit/audit.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { Fields } from '../kit/requests/form-guard.ts';
import type { PageContext } from '../pages-deps.ts';

/** The sections of the navigation, in its order, with the paths of their first pages below `/app/:orgSlug`. */
export const sectionPaths = {
  Home: '',
  Ask: '/ask',
  Search: '/search',
  Repositories: '/repositories',
  Connections: '/connections',
  Settings: '/settings',
  System: '/system',
} as const;

export type Section = keyof typeof sectionPaths;

/** A page of an organization, or the target of its form. `page-list.ts` lists all of them. */
export interface AppPage {
  readonly method: 'GET' | 'POST';
  /** Below `/app/:orgSlug`: `/repositories/:id`. */
  readonly path: string;
  /** The minimum role of the person. */
  readonly role: Role;
  readonly section: Section;
  /** Required for POST. */
  readonly form?: AppForm;
  /** Returns the reply, mostly of `visit.show` or `visit.seeOther`. */
  handle(visit: Visit, context: PageContext): FastifyReply | Promise<FastifyReply>;
}

export interface AppForm {
  /** Path of the page with the form, with the same parameters; a refused form links to it. */
  readonly page: string;
  /** Fields that may be repeated, such as those of checkboxes with the same name. */
  readonly lists?: readonly string[];
  /** Maximum size, in bytes. Default: 16 KB; at most `maxFormBytes`. */
  readonly maxBytes?: number;
}

/** Maximum size of the largest form, in bytes: one that selects thousands of teams or services. */
export const maxFormBytes = 256 * 1024;

/** The content of a page. */
export interface AppView {
  /** The title of the browser tab; the heading of the page is part of its content. */
  readonly title: string;
  readonly content: ComponentChildren;
  /** Default: 200. */
  readonly status?: number | undefined;
}

/** The request of a person who was admitted to an organization. */
export interface Visit {
  readonly access: Access;
  readonly scope: OrgScope;
  readonly actor: AuditActor;
  /** The time of the request, in milliseconds since the epoch. */
  readonly now: number;
  /** Aborts if the browser disconnects. */
  readonly signal: AbortSignal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The fields of the form; empty for GET. */
  readonly fields: Fields;
  /** Returns the values of a field that `AppForm.lists` names. */
  list(name: string): readonly string[];
  /** Returns a parameter of the path. */
  param(name: string): string;
  /** Returns a parameter of the query; `undefined` if absent, empty or repeated. @throws InvalidInput for NUL */
  query(name: string): string | undefined;
  /** Returns whether the person has at least this role. Hides actions only: `AppPage.role` protects them. */
  may(role: Role): boolean;
  /** Returns the path of another page of the organization; `below` is already encoded. */
  path(below: string): string;
  /** Returns the address and the token of a form that is sent to `below`. */
  form(below: string): { readonly action: string; readonly csrf: string };
  show(view: AppView): FastifyReply;
  /** Redirects to another page of the organization. */
  seeOther(below: string): FastifyReply;
}
