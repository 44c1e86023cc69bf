import { expect, it } from 'vitest';
import { languageOf } from '../languages/port.ts';
import { fileClassOf } from './file-class.ts';

it.each([
  ['src/router/trie.ts', 'source'],
  ['scrapy/contracts/default.py', 'source'],
  ['src/latest.ts', 'source'],
  ['src/contest/main.go', 'source'],
  ['okhttp/src/jvmTest/kotlin/FakePlanner.kt', 'test'],
  ['src/testDebug/java/Fake.java', 'test'],
  ['src/history.ts', 'source'],
  ['cmd/testimony/main.go', 'source'],
  ['Dockerfile', 'source'],
  ['src/router/trie.test.ts', 'test'],
  ['tests/test_spider.py', 'test'],
  ['pkg/queue_test.go', 'test'],
  ['gson/src/main/java/com/x/LeaseTest.java', 'test'],
  ['conftest.py', 'test'],
  ['App.Tests.Unit/LeaseTests.cs', 'test'],
  ['app/models/lease_spec.rb', 'test'],
  ['src/UNIT.ts', 'source'],
  ['tests/fixtures/one.ts', 'fixture'],
  ['pkg/testdata/a.go', 'fixture'],
  ['examples/hello/main.go', 'example'],
  ['benchmarks/run.ts', 'example'],
  ['docs/guide.md', 'docs'],
  ['docs/conf.py', 'docs'],
  ['src/README.md', 'docs'],
  ['README.md', 'readme'],
  ['CHANGELOG.md', 'log'],
  ['LICENSE', 'log'],
  ['docs/news.rst', 'log'],
  ['package.json', 'data'],
  ['.github/workflows/ci.yml', 'data'],
  ['pnpm-lock.yaml', 'generated'],
  ['node_modules/x/index.js', 'generated'],
  ['api/service.pb.go', 'generated'],
  ['lib/lease.g.dart', 'generated'],
  ['api/lease_pb2_grpc.pyi', 'generated'],
  ['static/app.min.js', 'generated'],
])('%s is %s', (path, expected) => {
  expect(fileClassOf(path, languageOf(path))).toBe(expected);
});
