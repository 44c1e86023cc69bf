import { describe, expect, it } from 'vitest';
import { measureProcessor } from '../../../../test/support/run/processor-time.ts';
import { isManifest, readManifest } from './read-manifest.ts';
import { requiredLanguage } from './required-language.ts';

/** Reads a manifest, and prints what it provides and asks for. */
function read(path: string, ...lines: readonly string[]): readonly string[] | undefined {
  const manifest = readManifest(path, lines.join('\n'));
  return (
    manifest && [
      manifest.provides ?? '-',
      ...manifest.asks.map(({ name, importedAs, version, line }) =>
        [line, name, version, importedAs && `as ${importedAs}`].filter((part) => part).join(' '),
      ),
    ]
  );
}

describe('a manifest', () => {
  it('is read with its lines: package.json', () => {
    const lines = [
      '{ "name": "@acme/shop",',
      '  "scripts": { "zod": "x" },',
      '  "dependencies": {',
      '    "zod": "^4", "@acme/client": "^2.1.0",',
      '    "old": "npm:@acme/client@^1"',
      '  },',
      '  "devDependencies": { "vitest": "5" } }',
    ];
    expect(read('package.json', ...lines)).toEqual([
      '@acme/shop',
      '4 zod ^4',
      '4 @acme/client ^2.1.0',
      '5 @acme/client ^1 as old',
      '7 vitest 5',
    ]);
    const exports = { '.': { types: './d.ts', default: './dist/a.js' }, './errors': './dist/errors.js' };
    const { entries } = readManifest('package.json', JSON.stringify({ name: 'a', exports, main: 'b.js' }))!;
    expect([...entries!]).toEqual([
      ['', ['./d.ts', './dist/a.js', 'b.js']],
      ['/errors', ['./dist/errors.js']],
    ]);
  });

  it('is read with its lines: go.mod', () => {
    const lines = [
      'module example.com/shop',
      'require example.com/a v1.2.0',
      'require (',
      '\texample.com/b/v2 v2.0.1 // indirect',
      ')',
    ];
    expect(read('x/go.mod', ...lines)).toEqual([
      'example.com/shop',
      '2 example.com/a v1.2.0',
      '4 example.com/b/v2 v2.0.1',
    ]);
  });

  it('is read with its lines: pyproject.toml, setup.cfg and requirements.txt', () => {
    const project = [
      '[project]',
      'name = "shop"',
      'dependencies = [',
      '  "acme-client[http]>=2,<3; python_version > \'3.8\'",',
      ']',
      '[dependency-groups]',
      'dev = ["pytest"]',
    ];
    expect(read('pyproject.toml', ...project)).toEqual(['shop', '4 acme-client >=2,<3', '7 pytest']);
    const poetry = [
      '[tool.poetry]',
      'name = "shop"',
      '[tool.poetry.dependencies]',
      'python = "^3.9"',
      'acme-client = "^2"',
      '[tool.poetry.group.dev.dependencies]',
      'pytest = {version = "^8"}',
    ];
    expect(read('pyproject.toml', ...poetry)).toEqual(['shop', '5 acme-client ^2', '7 pytest ^8']);
    const setup = [
      '[metadata]',
      'name = shop',
      '[options]',
      'packages = find:',
      'install_requires =',
      '    acme-client>=2',
      '    six',
      '[options.extras_require]',
      'http = httpx~=1.0',
    ];
    expect(read('setup.cfg', ...setup)).toEqual(['shop', '6 acme-client >=2', '7 six', '9 httpx ~=1.0']);
    expect(read('requirements-dev.txt', '# x', '-r base.txt', 'acme_client==2.1  # pinned')).toEqual([
      '-',
      '3 acme_client ==2.1',
    ]);
  });

  it('is read with its lines: Cargo.toml', () => {
    const lines = [
      '[package]',
      'name = "shop"',
      '[dependencies]',
      'acme-client = "2"',
      'old = { package = "acme-client", version = "1" }',
      '[dev-dependencies.tokio]',
      'version = "1"',
    ];
    expect(read('Cargo.toml', ...lines)).toEqual([
      'shop',
      '4 acme-client 2',
      '5 acme-client 1 as old',
      '6 tokio 1',
    ]);
  });

  it('is read with its lines: pom.xml and Gradle', () => {
    const pom = [
      '<project>',
      '<!-- <artifactId>no</artifactId> -->',
      '<parent><groupId>com.acme</groupId><version>3</version></parent>',
      '<artifactId>shop</artifactId>',
      '<properties><client.version>2.1</client.version></properties>',
      '<dependencies><dependency>',
      '<groupId>${project.groupId}</groupId><artifactId>client</artifactId>',
      '<version>${client.version}</version>',
      '</dependency></dependencies></project>',
    ];
    expect(read('pom.xml', ...pom)).toEqual(['com.acme:shop', '6 com.acme:client 2.1']);
    const gradle = [
      "group = 'com.acme'",
      'dependencies {',
      '  implementation "com.acme:client:2.1"',
      "  testImplementation('org.junit:junit:5')",
      '}',
    ];
    expect(read('shop/build.gradle', ...gradle)).toEqual([
      'com.acme:shop',
      '3 com.acme:client 2.1',
      '4 org.junit:junit 5',
    ]);
  });

  it('is read with its lines: composer.json, gemspec, .csproj and podspec', () => {
    expect(
      read('composer.json', '{"name": "acme/shop", "require": {', '"php": ">=8", "acme/client": "^2"}}'),
    ).toEqual(['acme/shop', '2 acme/client ^2']);
    expect(
      read(
        'shop.gemspec',
        'Gem::Specification.new do |s|',
        "  s.name = 'shop'",
        "  s.add_dependency 'acme-client', '~> 2'",
        "  s.add_development_dependency('rspec')",
        'end',
      ),
    ).toEqual(['shop', '3 acme-client ~> 2', '4 rspec']);
    expect(
      read(
        'src/Acme.Shop.csproj',
        '<Project><ItemGroup>',
        '<PackageReference Include="Acme.Client" Version="2.1" />',
        '<PackageReference Include="Acme.Core"><Version>3</Version></PackageReference>',
        '</ItemGroup></Project>',
      ),
    ).toEqual(['Acme.Shop', '2 Acme.Client 2.1', '3 Acme.Core 3']);
    expect(
      read(
        'Shop.podspec',
        'Pod::Spec.new do |s|',
        "  s.name = 'Shop'",
        "  s.dependency 'AcmeClient/Core', '~> 2.0'",
        'end',
      ),
    ).toEqual(['Shop', '3 AcmeClient ~> 2.0']);
  });

  it.each([
    ['go 1.25.0', 'go'],
    ['    "node": ">= 18"', 'node'],
    ['  "engines": { "node": "^20 || >=22" },', 'node'],
    ['        "php": "^8.3",', 'php'],
    ['requires-python = ">=3.10"', 'python'],
    ["    python_requires='>=3.8',", 'python'],
    ['python = "^3.9"', 'python'],
    ['rust-version = "1.80"', 'rust'],
    ["  s.required_ruby_version = '>= 2.7.3'", 'ruby'],
    ['ruby "3.2"', 'ruby'],
    ['python_version = "3.10"', undefined],
    ['rust-version.workspace = true', undefined],
    ['\tgithub.com/json-iterator/go v1.1.12', undefined],
    ['  s.required_ruby_version = Gem::Requirement.new(">= 3.0")', 'ruby'],
    [`"node"${' '.repeat(400_000)}x`, undefined],
    ['# generated with python 3.11', undefined],
    ['    "node-fetch": "^3"', undefined],
  ])('requires a language: %s', (line, language) => {
    expect(requiredLanguage(line)).toBe(language);
  });

  it('of a copy or a sample is none', () => {
    expect(['package.json', 'a/go.mod', 'A.csproj'].map((path) => isManifest(path))).toEqual([
      true,
      true,
      true,
    ]);
    for (const folder of ['node_modules/a', 'vendor/a', 'src/testdata', 'test/fixtures/a'])
      expect(isManifest(`${folder}/package.json`)).toBe(false);
    expect(isManifest('src/package.json.ts')).toBe(false);
  });

  it('that is damaged or hostile says nothing, in a short time', () => {
    const paths = [
      'package.json',
      'go.mod',
      'pyproject.toml',
      'setup.cfg',
      'Cargo.toml',
      'pom.xml',
      'build.gradle',
      'composer.json',
      'a.gemspec',
      'a.csproj',
      'a.podspec',
      'requirements.txt',
      'setup.py',
      'tsconfig.json',
    ];
    const hostile = [
      '{',
      '['.repeat(250_000),
      '{"a":'.repeat(80_000),
      'a = '.repeat(100_000),
      '<a '.repeat(100_000),
      '<a>'.repeat(100_000),
      '<!--'.repeat(100_000),
      '"'.repeat(400_000),
      '"\\'.repeat(150_000),
      '/* '.repeat(150_000),
      ','.repeat(400_000),
      `x =>${' '.repeat(400_000)}`,
      `package_dir={${'"a":'.repeat(100_000)}`,
      ' '.repeat(400_000),
      '{"name":"../../etc","dependencies":{"a b":"1","\\u0000":"1"}}',
      '{"name":7,"dependencies":[],"exports":{"__proto__":{}}}',
      '[project]\nname = 7\ndependencies = {}\n',
    ];
    const processorMs = measureProcessor();
    for (const path of paths)
      for (const text of hostile) {
        const manifest = readManifest(path, text);
        expect(manifest?.asks ?? []).toEqual([]);
        expect(['', 'a'].includes(manifest?.provides ?? '')).toBe(true);
      }
    expect(processorMs()).toBeLessThan(5_000);
  });

  it('of 10 MB is not read, and one that asks for many packages is cut', () => {
    const asking = (count: number): string =>
      JSON.stringify({
        name: 'a',
        dependencies: Object.fromEntries(Array.from({ length: count }, (_, n) => [`package-${n}`, '1'])),
      });
    expect(readManifest('package.json', `${asking(1)}${' '.repeat(10_000_000)}`)).toBeUndefined();
    const processorMs = measureProcessor();
    expect(readManifest('package.json', asking(20_000))?.asks).toHaveLength(2_000);
    expect(processorMs()).toBeLessThan(2_000);
  });
});
