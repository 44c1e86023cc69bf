import { redactText } from '../telemetry/redaction.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http.ts';

/** One call of a trace: a line of JSON. */
export interface RecordedCall {
  readonly method: string;
  readonly url: string;
  /** The redacted body: parsed if it is JSON, the names of the fields if it is a form. */
  readonly request?: unknown;
  readonly status?: number;
  /** The headers of the response that steer a client: limits, pages, redirects. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly response?: unknown;
  /** Why there was no response. */
  readonly error?: string;
}

/**
 * Maximum number of calls in a trace.
 * @internal Exported for its test.
 */
export const maxCalls = 500;
/** Maximum number of characters in the line of a call. */
const maxLine = 256 * 1024;

/**
 * Returns a client that sends each request as it is, and gives a redacted line of JSON for each to `write`, at most
 * `maxCalls`. A trace has no tokens and no texts of people: a text is kept only if its field or form says that it is an
 * id, a time, a state or an error, and the name of a field only where the provider chose it. Equal texts have equal
 * substitutes.
 */
export function recordCalls(http: HttpClient, write: (line: string) => void): HttpClient {
  const redact = createRedaction();
  let calls = 0;
  const record = (call: RecordedCall): void => {
    calls += 1;
    if (calls > maxCalls) return;
    const line = JSON.stringify(call);
    const { method, url, status, headers } = call;
    write(
      line.length <= maxLine ? line : JSON.stringify({ method, url, status, headers, error: 'too large' }),
    );
  };
  return {
    ...http,
    close: () => http.close(),
    stream: (options) => http.stream(options),
    async request(options) {
      const call = {
        method: options.method ?? 'GET',
        url: redactText(options.url),
        ...(options.body !== undefined && { request: redactRequest(options, redact) }),
      };
      try {
        const response = await http.request(options);
        record({ ...call, ...redactResponse(response, redact) });
        return response;
      } catch (error) {
        record({ ...call, error: error instanceof Error ? redactText(error.message) : 'unknown' });
        throw error;
      }
    },
  };
}

interface Place {
  /** Name of the field. */
  readonly name: string;
  readonly depth: number;
  /** True inside of an error, whose messages are those of the provider. */
  readonly isError: boolean;
  /** True inside of an object whose fields were chosen by a customer, or by whoever sends alerts. */
  readonly isFree?: boolean;
}

type Redact = (value: unknown, place: Place) => unknown;

function redactRequest({ body, headers }: HttpRequest, redact: Redact): unknown {
  const text = typeof body === 'string' ? body : '';
  if (headers?.['content-type'] !== 'application/x-www-form-urlencoded') return redactJson(text, redact);
  return Object.fromEntries(
    [...new URLSearchParams(text)].map(([name, value]) => [
      name,
      name === 'grant_type' ? value : substituteOfSecret,
    ]),
  );
}

const keptHeader = /^(?:content-type|link|location|retry-after|(?:x-)?ratelimit-.*|x-complexity)$/;

/** Redacts a header. The query of an address to which a provider leads may be a signature. */
function redactHeader(name: string, value: string): string {
  return redactText(name === 'location' ? value.replace(/\?.*$/s, '') : value);
}

function redactResponse({ status, headers, body }: HttpResponse, redact: Redact) {
  const kept = Object.entries(headers).filter(([name]) => keptHeader.test(name));
  const text = new TextDecoder().decode(body.subarray(0, maxLine));
  return {
    status,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, redactHeader(name, value)])),
    ...(body.length > 0 && {
      response: body.length > maxLine ? `${body.length} bytes` : redactJson(text, redact, status >= 400),
    }),
  };
}

function redactJson(text: string, redact: Redact, isError = false): unknown {
  try {
    return redact(JSON.parse(text), { name: '', depth: 0, isError });
  } catch {
    return `${text.length} characters that are no JSON`;
  }
}

const substituteOfSecret = 'redacted';
const maxDepth = 20;

/** Names of fields whose values are needed to tell what happened, if they have the form of an id or a word. */
const keptName =
  /^(?:id|\w*Ids?|\w*_id|type|state|status|kind|code|cursor|endCursor|nextCursor|key|urlKey|identifier|slugId|visibility|event_type|urgency|token_type|full_name|default_branch|ref|sha|encoding)$/;
const keptWord = /^[\w.:/+=~-]{1,400}$/;
/** Names of fields whose texts come from the provider, such as a list of scopes. */
const keptText = /^(?:error|error_description|scope)$/;
/** Names of fields whose texts come from the provider in an error, and from people elsewhere, as of commits. */
const keptInError = /^(?:message|userPresentableMessage)$/;
/** Names of fields whose objects have fields that a customer or the sender of an alert chose. */
const freeName =
  /^(?:details|channel|contexts?|payload|attributes|annotations|tags|cef_details|\w*metadata|custom_\w+|custom(?:Details|Fields)|\w*properties)$/i;
/** The names that providers give to fields. Others are data. */
const fieldForm = /^[A-Za-z_$][\w$-]{0,39}$/;
const secretName = /token$|secret|password|private_?key|authorization/i;
/** Ids, commits, times and dates. */
const keptForm =
  /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{40}|\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?)$/;

function createRedaction(): Redact {
  const substitutes = new Map<string, string>();
  const substituteOf = (text: string): string => {
    const known = substitutes.get(text);
    if (known !== undefined) return known;
    const made = `text-${substitutes.size + 1}`;
    substitutes.set(text, made);
    return made;
  };
  const redactOne = (text: string, { name, isError, isFree }: Place): string => {
    if (isFree) return substituteOf(text);
    if (secretName.test(name) && name !== 'token_type') return substituteOfSecret;
    if (text === '' || keptForm.test(text)) return text;
    if (name === 'query' && /^query\s/.test(text)) return text;
    const isOfProvider = keptText.test(name) || (isError && keptInError.test(name));
    if (isOfProvider || (keptName.test(name) && keptWord.test(text)))
      return redactText(text).replaceAll(/[^\s@<>"]{1,100}@[^\s@<>"]{1,100}/g, 'e-mail');
    const url = /^https?:/.test(text) ? URL.parse(text) : null;
    return url === null ? substituteOf(text) : `${url.origin}/${substituteOf(text)}`;
  };
  const redact: Redact = (value, place) => {
    if (typeof value === 'string') return redactOne(value, place);
    if (typeof value === 'number' && place.isFree) return 0;
    if (typeof value !== 'object' || value === null) return value;
    const depth = place.depth + 1;
    if (depth > maxDepth) return substituteOfSecret;
    if (Array.isArray(value)) return value.map((item) => redact(item, { ...place, depth }));
    const { isFree = freeName.test(place.name) } = place;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const isError = place.isError || /^errors?$/.test(name);
        const isKept = !isFree && fieldForm.test(name);
        return [
          isKept ? name : substituteOf(name),
          redact(inner, { name, depth, isError, ...(isFree && { isFree }) }),
        ];
      }),
    );
  };
  return redact;
}
