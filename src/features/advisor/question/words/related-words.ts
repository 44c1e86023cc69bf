/** Groups of words that code uses for what people call by another one of them. */
const groups: readonly string[] = [
  'compute calculate calc adjust estimate derive',
  'verify check validate',
  'decide should determine choose select',
  'skip ignore exclude filter',
  'limit max maximum throttle cap',
  'recover restore reclaim reap requeue resume release',
  'kill die crash expire lost stop dead terminate abort',
  'remove delete evict purge drop discard strip trim',
  'create make build construct new',
  'start boot launch run open begin',
  'stop close shutdown terminate finish end exit',
  'match find lookup resolve search locate',
  'send dispatch emit publish deliver write',
  'fail error raise throw reject crash exception panic',
  'missing absent required undefined',
  'wait sleep pause delay block',
  'suggest similar closest close possibility distance hint',
  'misspelled typo mistyped unknown similar spelling',
  'ctrl interrupt sigint keyboard',
  'follow resolve traverse',
  'catch recover rescue except',
  'duplicate seen unique fingerprint dedupe twice',
  'print render format write display show',
  'know detect notice determine',
  'wrong invalid incorrect bad malformed mismatch unexpected',
  'enforce restrict limit check',
  'default fallback unset',
  'mount attach nest register',
  'serialize dump encode stringify convert',
  'deserialize parse decode load convert',
  'setting config option preference',
  'folder directory dir',
  'keep preserve retain hold',
  'remember save store persist cache',
  'url uri address link',
  'verb method',
  'status code',
  'login session auth signin',
  'combine merge join',
  'split divide chunk',
  'decompress decode gunzip gzip inflate unzip',
  'compress gzip deflate zip',
  'retry again attempt',
  'incoming request inbound',
  'csrf xsrf',
  'protect guard prevent',
  'speed rate throughput',
  'answer response reply',
  '301 moved redirect permanently',
  '302 found redirect',
  '400 bad',
  '401 unauthorized',
  '403 forbidden',
  '404 notfound missing enoent',
  '405 methodnotallowed',
  '408 timeout',
  '413 large',
  '429 throttle limit',
  '500 internal',
  '502 gateway',
  '503 unavailable',
  '504 timeout',
  'wide width column',
  'deep depth nesting level',
  'tall height',
  'big size large length',
  'long duration timeout length',
  'often interval frequency period',
  'hidden visibility invisible hide',
  'hour 3600',
  'minute 60',
  'day 86400',
  'password secret credential',
  'mask hide redact obfuscate sanitize',
  'colour color ansi',
  'coloured color ansi',
  'terminal tty console',
  'piped tty stdout',
  'bounced redirect',
  'reload restart respawn',
  'address ip host remote',
  'balancer proxy forwarded',
  'payload body content',
  'upload multipart file',
  'download attachment',
  'broken malformed invalid corrupt',
  'garbage invalid malformed',
  'temp temporary tmp spool',
  'copy clone',
  'order sort sequence precedence priority',
  'wins precedence priority override',
  'twice duplicate repeated',
  'same duplicate identical',
  'simultaneous concurrent parallel',
  'simultaneously concurrent parallel',
  'lock mutex semaphore',
  'hang block deadlock stuck',
  'disconnect close drop',
  'notify signal event',
  'listener handler callback hook',
  'escape quote sanitize',
  'translation locale i18n',
  'identifier id uuid key',
  'hash digest checksum',
  'signature sign hmac',
  'permission access authorize',
  'allow permit accept',
  'refuse reject deny disallow forbid',
  'deny refuse reject forbid',
  'unsafe insecure untrusted dangerous',
  'secure https tls ssl',
  'certificate cert tls x509',
  'environment env',
  'flag option argument',
  'subcommand command',
  'usage help',
  'deprecated obsolete legacy',
  'logged logging logger log',
  'count number total',
  'cut strip trim truncate',
  'shorten truncate abbreviate',
  'wrap fold break',
  'newline linebreak crlf',
  'whitespace space blank',
  'uppercase upper capital',
  'lowercase lower',
  'wildcard glob star',
  'pattern regex regexp',
  'ending suffix extension',
  'parent ancestor super',
  'child descendant nested',
  'inherit extend super',
  'detach unmount unregister unbind',
  'subscriber consumer receiver',
  'publisher producer sender',
  'acknowledge ack confirm',
  'redeliver requeue restore',
  'postpone delay defer countdown schedule',
  'ttl expire expiry lifetime',
  'lifetime permanent expire',
  'stream chunk pipe',
  'flush drain',
  'pool reuse recycle',
  'cleanup close release dispose',
  'graceful shutdown drain',
  'router mux dispatcher',
  'route rule path',
  'endpoint view handler controller',
  'mime mimetype content-type',
  'charset encoding codec',
  'markup html xml',
  'lazy deferred ondemand',
  'override overwrite replace',
  'substitute replace swap',
  'insert add append push',
  'mandatory required',
  'annotation decorator attribute',
  'comment docstring javadoc',
  'alias synonym name',
  'nickname alias',
  'concurrency parallel worker thread',
  'crashed died panic',
  'bigger larger max',
  'longer timeout max',
  'older stale expired age',
  'picked select choose',
  'popup prompt dialog',
  'guess attempt try',
];
const related: ReadonlyMap<string, ReadonlySet<string>> = relatedByWord();

/** A word of several groups is related to those of all of them. */
function relatedByWord(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const group of groups) {
    const words = group.split(' ');
    for (const word of words) {
      const others = found.get(word) ?? new Set();
      for (const other of words) if (other !== word) others.add(other);
      found.set(word, others);
    }
  }
  return found;
}

/** Participles that no ending tells from the verbs of code, with these. */
const verbs: ReadonlyMap<string, string> = new Map(
  (
    'begun:begin bound:bind broken:break built:build caught:catch chosen:choose drawn:draw found:find ' +
    'hidden:hide held:hold kept:keep looked:lookup lost:lose sent:send shown:show thrown:throw written:write'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

/** Returns the words that code may use instead of those of a question. */
export function relatedWords(terms: readonly string[]): readonly string[] {
  return [
    ...new Set(
      terms.flatMap((term) => {
        const word = term.toLowerCase();
        const verb = verbs.get(word);
        const others = formsOf(verb ?? word).flatMap((form) => [...(related.get(form) ?? [])]);
        return verb === undefined ? others : [verb, ...others];
      }),
    ),
  ];
}

/** Returns a word and what remains of it without the ending of a verb or plural. */
function formsOf(term: string): readonly string[] {
  const base = term.replace(/(?:ing|ed|es|s|d)$/u, '');
  return [term, base, `${base}e`, base.replace(/([^aeiou])\1$/u, '$1')];
}
