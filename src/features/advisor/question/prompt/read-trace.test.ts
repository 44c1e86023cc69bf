import { describe, expect, it } from 'vitest';
import { measureProcessor } from '../../../../../test/support/run/processor-time.ts';
import { fixedTexts, readTrace } from './read-trace.ts';

const framesOf = (prompt: string): unknown =>
  readTrace(prompt)?.frames.map(({ path, line, words }) => [path, line, words[0]]);

describe('readTrace', () => {
  it.each([
    [
      'Python, the innermost last',
      'File "/a/api.py", line 7, in get\n  call()\n  File "/a/s.py", line 9, in send\n    raise E(x)',
      [
        ['/a/s.py', 9, 'send'],
        ['/a/api.py', 7, 'get'],
      ],
    ],
    [
      'Python on one line, with code after the names',
      'File "/a/api.py", line 7, in get call(a) File "/a/s.py", line 9, in send raise E(x) a.E: [Errno 111] no',
      [
        ['/a/s.py', 9, 'send'],
        ['/a/api.py', 7, 'get'],
      ],
    ],
    [
      'JavaScript with the error after the frame',
      'at Hono.dispatch (/app/src/base.ts:420:25) TypeError: handler is not a function',
      [['/app/src/base.ts', 420, 'dispatch']],
    ],
    [
      'JavaScript on one line',
      'TypeError: no x at toForm (/app/node_modules/n/lib/f.js:8:1) at file:///app/m.mjs:2:3',
      [
        ['/app/node_modules/n/lib/f.js', 8, 'toForm'],
        ['file:///app/m.mjs', 2, undefined],
      ],
    ],
    [
      'JavaScript without a name',
      'Error: x\n  at Function.<anonymous> (/a/b.js:2:1)',
      [['/a/b.js', 2, 'Function']],
    ],
    [
      'JavaScript on Windows and in bundles',
      'Error: x\n  at A.run (C:\\p\\lib\\a.js:1:2)\n  at b (webpack-internal:///./src/b.js:3:4)',
      [
        ['C:/p/lib/a.js', 1, 'run'],
        ['webpack-internal:///./src/b.js', 3, 'b'],
      ],
    ],
    ['.NET', 'E: x\n   at A.Job.Run(Func`1 f) in C:\\src\\Job.cs:line 7', [['C:/src/Job.cs', 7, 'Run']]],
    [
      'Java, the root cause first',
      'a.E: x\n\tat org.a.B.get(B.java:5)\nCaused by: a.F: y\n\tat org.a.C$D.read(C.java:6)',
      [
        ['org/a/C.java', 6, 'read'],
        ['org/a/B.java', 5, 'get'],
      ],
    ],
    [
      'Go',
      'goroutine 1 [running]:\nexample.org/m.(*Router).Serve(0x1, {0x2})\n\t/go/pkg/mod/example.org/m@v1.8.1/m.go:21 +0x1c',
      [['/go/pkg/mod/example.org/m@v1.8.1/m.go', 21, 'Serve']],
    ],
    ['Rust', "thread 'main' panicked at crates/x/src/y.rs:12:5:\nno", [['crates/x/src/y.rs', 12, undefined]]],
    ['Ruby', "from /g/gems/j-4.3/lib/j.rb:3:in `read_all'", [['/g/gems/j-4.3/lib/j.rb', 3, 'read_all']]],
    [
      'Ruby, in blocks',
      "/g/j.rb:3:in 'Jekyll::Site#read_all': no (ArgumentError)\n\tfrom /g/k.rb:4:in `block (2 levels) in each_page'",
      [
        ['/g/j.rb', 3, 'read_all'],
        ['/g/k.rb', 4, 'each_page'],
      ],
    ],
    [
      'PHP, where a line does not name its function',
      'A\\E: no\nin /v/Client.php:9\nStack trace:\n#0 /v/Api.php(7): A\\Client->apply(Object(B), Array)\n#1 /v/x.php(3): A\\{closure}()\n#2 {main}\n  thrown in /v/Client.php on line 9',
      [
        ['/v/Client.php', 9, undefined],
        ['/v/Api.php', 7, undefined],
        ['/v/x.php', 3, undefined],
      ],
    ],
  ])('reads the frames of %s', (_, prompt, frames) => {
    expect(framesOf(prompt)).toEqual(frames);
  });

  it.each([
    ['RuntimeError: it was consumed', 'it was consumed'],
    ['2024/05/02 10:11:12 panic: route has groups', 'route has groups'],
    ['ERROR [sync-3] c.a.Sync - java.lang.IllegalStateException: Not an object', 'Not an object'],
    ['PHP Fatal error:  Uncaught A\\HttpException: it is gone in /v/C.php:9', 'it is gone'],
    ["/g/j.rb:3:in `read': it was read (ArgumentError)", 'it was read'],
    ['client.UnsupportedProtocol: it has no protocol', 'it has no protocol'],
    ['a.ConnectTimeout: it timed out when we call it, why?', 'it timed out'],
    ["thread 'main' panicked at src/a.rs:1:2:\nit was taken\nnote: x", 'it was taken'],
    ['KeyError: "x", where does it come from?', '"x"'],
    ['ValueError: cannot close when open', 'cannot close when open'],
    ['How does the router report an error?', undefined],
    ['a.ConnectTimeout: where is it raised and which error does it become?', undefined],
    ['What does src/a.ts:12 do?', undefined],
  ])('reads the message of %s', (prompt, message) => {
    expect(readTrace(prompt)?.message).toBe(message);
  });

  it('returns the fixed texts of a message', () => {
    expect(fixedTexts("Class com.acme.User declares multiple fields named 'id'; conflict 12")).toEqual([
      'Class',
      'declares multiple fields named',
      'conflict',
    ]);
  });

  it.each([' at ', 'at a.', 'Error', 'File "', "in `a'", 'Caused by: \n'])(
    'reads 32,000 characters of %s in linear time',
    (unit) => {
      const processorMs = measureProcessor();
      readTrace(unit.repeat(32_000 / unit.length));
      expect(processorMs()).toBeLessThan(10_000);
    },
  );

  it.each([
    ['a number of a line', ''],
    ['the word before it', ':line x'],
  ])('reads frames of .NET with many brackets and %s in linear time', (_, end) => {
    const frame = `at a${'('.repeat(300)}${') in '.repeat(120)}${end}\n`;
    const { user } = process.cpuUsage();
    readTrace(frame.repeat(500));
    // Each line takes 25 ms if the places of all brackets are tried with each other.
    expect((process.cpuUsage().user - user) / 1000).toBeLessThan(1_500);
  });
});
