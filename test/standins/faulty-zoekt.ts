import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What it does to every request; changed while it runs. */
export type ZoektBehaviour =
  /** To every request, or to queries that hold this text; other searches then find nothing. */
  | { readonly kind: 'silent'; readonly about?: string }
  /** Answers so, whatever was asked. */
  | { readonly kind: 'say'; readonly status: number; readonly body: string }
  /** Breaks off in the middle of its answer. */
  | { readonly kind: 'break' }
  /** Finds these files, and adds what it says beside them. With `turning`, in another order each time it is asked. */
  | {
      readonly kind: 'find';
      readonly files: readonly FoundFile[];
      readonly stats?: object;
      readonly turning?: boolean;
    };

/** A file of an answer; the fields beside its lines go out as they are. */
export interface FoundFile {
  readonly LineMatches: readonly object[];
  readonly [field: string]: unknown;
}

/** A search and what was asked for beside it. */
export interface AskedZoekt {
  readonly Q: string;
  readonly RepoIDs?: readonly number[];
  readonly Opts?: Readonly<Record<string, unknown>>;
}

export interface FaultyZoekt extends AsyncDisposable {
  readonly url: string;
  behaviour: ZoektBehaviour;
  readonly asked: readonly AskedZoekt[];
}

/** The interface of `zoekt-webserver -rpc` on loopback, by something that need not be one. */
export async function startFaultyZoekt(): Promise<FaultyZoekt> {
  const asked: AskedZoekt[] = [];
  const listener = createServer((request, response) => {
    answer(zoekt.behaviour, asked, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const zoekt: FaultyZoekt = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    behaviour: { kind: 'find', files: [] },
    asked,
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      await new Promise<void>((resolve) => listener.close(() => resolve()));
    },
  };
  return zoekt;
}

async function answer(
  behaviour: ZoektBehaviour,
  asked: AskedZoekt[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const search = (await json(request)) as AskedZoekt;
  asked.push(search);
  switch (behaviour.kind) {
    case 'silent':
      if (search.Q.includes(behaviour.about ?? '')) return;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ Result: { ...noStats, Files: [] } }));
      return;
    case 'say':
      response.writeHead(behaviour.status, { 'content-type': 'application/json' }).end(behaviour.body);
      return;
    case 'break':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"Result":{');
      setImmediate(() => response.destroy());
      return;
    case 'find': {
      const { files, stats, turning = false } = behaviour;
      const turn = turning ? (asked.length * 7) % Math.max(1, files.length) : 0;
      const option = (name: string): number => (asked.at(-1)?.Opts?.[name] as number | undefined) ?? Infinity;
      const inOrder = [...files.slice(turn), ...files.slice(0, turn)].slice(0, option('MaxDocDisplayCount'));
      const shown = withinLines(inOrder, option('MaxMatchDisplayCount'));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ Result: { ...noStats, FileCount: files.length, ...stats, Files: shown } }),
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

/** As `index/limit.go` cuts: no file behind the one with the last line. */
function withinLines(files: readonly FoundFile[], most: number): readonly FoundFile[] {
  const shown: FoundFile[] = [];
  let left = most;
  for (const file of files) {
    if (left <= 0) break;
    const LineMatches = file.LineMatches.slice(0, left);
    shown.push({ ...file, LineMatches });
    left -= LineMatches.length;
  }
  return shown;
}
