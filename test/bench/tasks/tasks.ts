/** A call of a tool of orgctx. */
export interface ToolCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A task of an engineer, done once with the tools of orgctx and once with ripgrep and Git. */
export interface Task {
  readonly title: string;
  /** Names of the repositories, which are the folders that the commands run in. The last part of a public address. */
  readonly repositories: readonly string[];
  readonly calls: readonly ToolCall[];
  /** A question for `svc_advisor` that does the task in one call. */
  readonly prompt?: string;
  /** Each command with the folder that it runs in: a repository, or the folder that holds all. */
  readonly commands: readonly (readonly [folder: string, ...command: string[]])[];
  /** Texts that the results of either side must have: the answer to the task. */
  readonly answer: readonly string[];
}

/** The tasks. Their answers were read in the repositories at the commits that the bench prints. */
export const tasks: readonly Task[] = [
  {
    title: 'every use of a function',
    repositories: ['httpx'],
    calls: [{ tool: 'find_references', arguments: { name: 'create_ssl_context', repositories: ['httpx'] } }],
    commands: [['httpx', 'rg', '-nw', 'create_ssl_context']],
    answer: ['httpx/_transports/default.py:153', 'httpx/_config.py:23', 'tests/test_config.py:83'],
  },
  {
    title: 'who changed these lines, and why',
    repositories: ['httpx'],
    calls: [
      { tool: 'history', arguments: { address: 'httpx/httpx/_transports/default.py:153-160', limit: 3 } },
      {
        tool: 'show_commit',
        arguments: { repository: 'httpx', commit: '1805ee0d', path: 'httpx/_transports/default.py' },
      },
    ],
    prompt: 'Who changed httpx/httpx/_transports/default.py:153-160, and why?',
    commands: [
      [
        'httpx',
        'git',
        'log',
        '-L153,160:httpx/_transports/default.py',
        '-s',
        '-n3',
        '--format=%h %an %as %s',
      ],
      ['httpx', 'git', 'show', '1805ee0d', '--', 'httpx/_transports/default.py'],
    ],
    answer: ['1805ee0d', 'Graceful upgrade path for 0.28', 'create_ssl_context(verify=verify)'],
  },
  {
    title: 'what a commit did',
    repositories: ['httpx'],
    calls: [{ tool: 'show_commit', arguments: { repository: 'httpx', commit: '89599a95' } }],
    commands: [['httpx', 'git', 'show', '89599a95']],
    answer: ['Fix `verify=False`, `cert=...` case', 'httpx/_config.py', 'check_hostname'],
  },
  {
    title: 'callers in another repository',
    repositories: ['httpx', 'httpcore'],
    calls: [{ tool: 'find_references', arguments: { name: 'AsyncConnectionPool', repositories: ['httpx'] } }],
    commands: [['httpx', 'rg', '-nw', 'AsyncConnectionPool']],
    answer: ['httpx/_transports/default.py:300'],
  },
  {
    title: 'every place of a setting',
    repositories: ['httpx'],
    calls: [
      { tool: 'search_code', arguments: { query: 'SSL_CERT_FILE', repositories: ['httpx'], matches: 100 } },
    ],
    commands: [['httpx', 'rg', '-n', 'SSL_CERT_FILE']],
    answer: ['httpx/_config.py:34', 'tests/conftest.py:24', 'docs/environment_variables.md:66'],
  },
  {
    title: 'the definition of an overloaded name',
    repositories: ['httpx'],
    calls: [
      { tool: 'find_symbol', arguments: { name: 'request', repositories: ['httpx'] } },
      { tool: 'read_file', arguments: { places: ['httpx/httpx/_client.py:1485-1540'] } },
    ],
    prompt: 'Where is `request` defined in httpx/_client.py?',
    commands: [
      ['httpx', 'rg', '-n', 'def request\\b'],
      ['httpx', 'sed', '-n', '1485,1540p', 'httpx/_client.py'],
    ],
    answer: ['httpx/_client.py:771', 'httpx/_client.py:1485', 'return await self.send('],
  },
  {
    title: 'the files of a pattern',
    repositories: ['express'],
    calls: [{ tool: 'search_code', arguments: { query: 'file:test/res.s*.js', repositories: ['express'] } }],
    commands: [['express', 'rg', '--files', '-g', 'test/res.s*.js']],
    answer: ['test/res.send.js', 'test/res.sendFile.js', 'test/res.status.js'],
  },
  {
    title: 'the last change of a default',
    repositories: ['httpx'],
    calls: [{ tool: 'history', arguments: { address: 'httpx/httpx/_config.py:246', limit: 1 } }],
    commands: [['httpx', 'git', 'log', '-L246,246:httpx/_config.py', '-n1', '-s', '--format=%h %an %as %s']],
    answer: ['c033ed1b', 'TimeoutConfig -> Timeout'],
  },
  {
    title: 'the repositories',
    repositories: [],
    calls: [{ tool: 'list_repositories', arguments: {} }],
    commands: [['.', 'ls']],
    answer: [],
  },
];
