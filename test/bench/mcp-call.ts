import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { median } from './statistics.ts';
import { sized } from './support/sized.ts';

/**
 * `node test/bench/mcp-call.ts`: compares an authenticated `tools/call` of a trivial tool (8 connections, rounds
 * interleaved) with the bare SDK handler, ten tools with one, and the product with a raw Fastify JSON route.
 */
const rounds = sized(7, 1);
const seconds = sized(2, 1);
const thresholds = { bare: 0.55, ten: 0.9 };

type Variant = 'raw' | 'bare' | 'one' | 'ten';
interface Ready {
  readonly apiKey: string;
  readonly urls: Readonly<Record<Variant, string>>;
}

const server = fork(fileURLToPath(new URL('./support/mcp-server.ts', import.meta.url)));
const [{ apiKey, urls }] = (await once(server, 'message')) as [Ready];
const variants: readonly Variant[] = ['raw', 'bare', 'one', 'ten'];
const rates: Record<Variant, number[]> = { raw: [], bare: [], one: [], ten: [] };

for (let round = 0; round <= rounds; round += 1) {
  for (const variant of variants) {
    const rate = await requestsPerSecond(urls[variant]);
    // The first round warms up.
    if (round > 0) rates[variant].push(rate);
  }
}
server.disconnect();

const ratio = (over: Variant, under: Variant): number =>
  median(rates[over].map((rate, index) => rate / (rates[under][index] ?? rate)));
for (const variant of variants) {
  console.log(
    `${variant.padEnd(5)} ${Math.round(median(rates[variant])).toString().padStart(7)} requests/s (median of ${rounds})`,
  );
}
report('product / bare SDK handler', ratio('one', 'bare'), thresholds.bare);
report('ten tools / one tool', ratio('ten', 'one'), thresholds.ten);
console.log(`product / raw Fastify route      ${ratio('one', 'raw').toFixed(2)}`);

function report(name: string, value: number, threshold: number): void {
  console.log(
    `${name.padEnd(32)} ${value.toFixed(2)} (must ${threshold}: ${value >= threshold ? 'holds' : 'MISSED'})`,
  );
}

/** Sends calls of protocol version 2026-07-28: no handshake, one JSON response. */
async function requestsPerSecond(url: string): Promise<number> {
  const result = await autocannon({
    url,
    method: 'POST',
    connections: 8,
    // A JSON-RPC response with an error also has status 200.
    verifyBody: (body) => String(body).includes('"text":"hello"'),
    duration: seconds,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'trivial',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'trivial',
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const { non2xx, errors, mismatches } = result;
  if (non2xx + errors + mismatches > 0) {
    throw new Error(`${url}: ${non2xx} refused, ${errors} failed, ${mismatches} wrong responses`);
  }
  return result.requests.average;
}
