import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** A file on the uploads host. */
export interface Upload {
  readonly url: string;
  content: Buffer;
  contentType: string;
  behaviour: UploadBehaviour;
}

/** How the host answers instead of sending the file. */
export type UploadBehaviour =
  | 'file'
  | { readonly status: number }
  | { readonly redirectTo: string }
  | 'redirect loop'
  /** Claims one byte more than it sends. */
  | 'long content-length'
  /** Sends in chunks, without a length. */
  | 'chunked'
  /** Never ends. */
  | 'endless'
  /** Sends one byte a second. */
  | 'drip'
  /** Sends little that unpacks to 100 MiB. */
  | 'gzip bomb'
  /** Sends a login page with status 200. */
  | 'login page'
  | 'reset';

export interface Uploads {
  readonly files: Map<string, Upload>;
  /** Requests so far: path, and whether they carried credentials. */
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[];
  add(name: string, content: Buffer | string, contentType?: string): Upload;
  answer(message: IncomingMessage, response: ServerResponse): void;
}

const chunk = Buffer.alloc(64 * 1024, 'a');
const bombBytes = 100 * 1024 * 1024;
let bomb: Buffer | undefined;

export function createUploads(origin: () => string, isValid: (token: string) => boolean): Uploads {
  const uploads: Uploads = {
    files: new Map(),
    requests: [],
    add(name, content, contentType = 'application/octet-stream') {
      const path = `/${randomUUID()}/${randomUUID()}/${encodeURIComponent(name)}`;
      const url = `${origin()}${path}`;
      const upload: Upload = { url, content: Buffer.from(content), contentType, behaviour: 'file' };
      uploads.files.set(path, upload);
      return upload;
    },
    answer(message, response) {
      const path = message.url ?? '/';
      const { authorization } = message.headers;
      uploads.requests.push({ path, authorization });
      const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
      if (token === undefined || !isValid(token)) {
        response.writeHead(401).end();
        return;
      }
      const upload = uploads.files.get(path);
      if (upload === undefined) response.writeHead(404).end();
      else sendUpload(upload, path, response);
    },
  };
  return uploads;
}

function sendUpload(
  { behaviour, content, contentType }: Upload,
  path: string,
  response: ServerResponse,
): void {
  const type = { 'content-type': contentType };
  if (typeof behaviour === 'object') {
    if ('status' in behaviour) response.writeHead(behaviour.status).end();
    else response.writeHead(302, { location: behaviour.redirectTo }).end();
    return;
  }
  switch (behaviour) {
    case 'file':
      response.writeHead(200, { ...type, 'content-length': content.length }).end(content);
      return;
    case 'redirect loop':
      response.writeHead(302, { location: path }).end();
      return;
    case 'long content-length':
      response.writeHead(200, { ...type, 'content-length': content.length + 1 });
      response.write(content, () => response.destroy());
      return;
    case 'chunked':
      response.writeHead(200, type);
      response.write(content, () => response.end());
      return;
    case 'endless':
      response.writeHead(200, type);
      writeForever(response);
      return;
    case 'drip':
      response.writeHead(200, type);
      drip(response);
      return;
    case 'gzip bomb':
      bomb ??= gzipSync(Buffer.alloc(bombBytes));
      response.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end(bomb);
      return;
    case 'login page':
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end('<!doctype html><title>Log in</title>');
      return;
    case 'reset':
      response.writeHead(200, { ...type, 'content-length': content.length });
      response.write(content.subarray(0, 1), () => response.socket?.resetAndDestroy());
      return;
    default:
      behaviour satisfies never;
  }
}

function writeForever(response: ServerResponse): void {
  if (response.destroyed) return;
  if (response.write(chunk)) setImmediate(writeForever, response);
  else response.once('drain', () => writeForever(response));
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('a'), 1_000);
  response.once('close', () => clearInterval(timer));
}
