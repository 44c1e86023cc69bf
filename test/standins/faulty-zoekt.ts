import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** The response to every request; tests change it while the stand-in runs. */
export type ZoektBehaviour =
  /** Never responds to any request, or to queries that contain this text; other searches then find nothing. */
  | { readonly kind: 'silent'; readonly about?: string }
  /** Sends this response to every request. */
  | { readonly kind: 'respond'; readonly status: number; readonly body: string }
  /** Closes the connection in the middle of the response: of all searches, or of the first ones. */
  | { readonly kind: 'disconnect'; readonly until?: number }
  /** Finds these files and adds `stats`. With `rotating`, the order differs with each request. */
  | {
      readonly kind: 'find';
      readonly files: readonly FoundFile[];
      readonly stats?: object;
      readonly rotating?: boolean;
    };

/** A file of a response; fields other than its lines are sent unchanged. */
export interface FoundFile {
  readonly LineMatches: readonly object[];
  readonly [field: string]: unknown;
}

/** A received search request. */
export interface ZoektSearch {
  readonly Q: string;
  readonly RepoIDs?: readonly number[];
  readonly Opts?: Readonly<Record<string, unknown>>;
}

export interface FaultyZoekt extends AsyncDisposable {
  readonly url: string;
  behaviour: ZoektBehaviour;
  readonly searches: readonly ZoektSearch[];
}

/** Starts a loopback server with the interface of `zoekt-webserver -rpc` and configurable errors. */
export async function startFaultyZoekt(): Promise<FaultyZoekt> {
  const searches: ZoektSearch[] = [];
  const listener = createServer((request, response) => {
    answer(zoekt.behaviour, searches, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const zoekt: FaultyZoekt = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    behaviour: { kind: 'find', files: [] },
    searches,
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      await new Promise<void>((resolve) => listener.close(() => resolve()));
    },
  };
  return zoekt;
}

async function answer(
  behaviour: ZoektBehaviour,
  searches: ZoektSearch[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const search = (await json(request)) as ZoektSearch;
  searches.push(search);
  switch (behaviour.kind) {
    case 'silent':
      if (search.Q.includes(behaviour.about ?? '')) return;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ Result: { ...noStats, Files: [] } }));
      return;
    case 'respond':
      response.writeHead(behaviour.status, { 'content-type': 'application/json' }).end(behaviour.body);
      return;
    case 'disconnect':
      if (searches.length > (behaviour.until ?? searches.length)) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ Result: { ...noStats, Files: [] } }));
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"Result":{');
      setImmediate(() => response.destroy());
      return;
    case 'find': {
      const { files, stats, rotating = false } = behaviour;
      const shift = rotating ? (searches.length * 7) % Math.max(1, files.length) : 0;
      const option = (name: string): number =>
        (searches.at(-1)?.Opts?.[name] as number | undefined) ?? Infinity;
      const inOrder = [...files.slice(shift), ...files.slice(0, shift)].slice(
        0,
        option('MaxDocDisplayCount'),
      );
      const limited = withinLines(inOrder, option('MaxMatchDisplayCount'));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ Result: { ...noStats, FileCount: files.length, ...stats, Files: limited } }),
      );
    }
  }
}

const noStats = {
  Crashes: 0,
  FileCount: 0,
  FilesConsidered: 0,
  FilesLoaded: 0,
  FilesSkipped: 0,
  ShardsSkipped: 0,
};

/** Applies the line limit as `index/limit.go` does: drops the files after the one with the last line. */
function withinLines(files: readonly FoundFile[], max: number): readonly FoundFile[] {
  const limited: FoundFile[] = [];
  let left = max;
  for (const file of files) {
    if (left <= 0) break;
    const LineMatches = file.LineMatches.slice(0, left);
    limited.push({ ...file, LineMatches });
    left -= LineMatches.length;
  }
  return limited;
}
