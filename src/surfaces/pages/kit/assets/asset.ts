import { entityTagOf } from '../../../fastify/entity-tag.ts';

/** A file of the pages with its path and ETag. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly body: string;
  readonly etag: string;
}

/**
 * Creates an asset. The path has no version, so browsers revalidate it each time and never use an old one.
 */
export function asset(path: string, type: string, text: string): Asset {
  const body = text.trimStart();
  return { path, type, body, etag: entityTagOf(body) };
}
