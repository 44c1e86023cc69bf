import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/http/chromium.ts';

const bodies: Readonly<Record<string, string>> = {
  '/': '<title>Whole</title><p>Nothing is wrong here.</p>',
  '/inline-style': '<p style="color: red">not by this policy</p>',
  '/inline-script': '<script>document.title = "ran"</script>',
  '/foreign-image': '<img alt="" src="http://localhost:9/pixel.png">',
  '/missing-image': '<img alt="" src="/missing.png">',
  // Chromium requests it some time after a page: a missing icon would fail an unrelated test.
  '/favicon.ico': '',
};

let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const body = bodies[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': 'text/html',
      'content-security-policy': "default-src 'self'; img-src http:",
    });
    response.end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe.skipIf(!hasBrowser())('a browser test detects errors of a page', () => {
  const browser = useBrowser();

  it.each([
    ['/inline-style', /Content Security Policy/],
    ['/inline-script', /Content Security Policy/],
    ['/foreign-image', /request to http:\/\/localhost:9\/pixel\.png/],
    ['/missing-image', /404/],
  ])('%s', async (path, error) => {
    const person = await browser.newPerson();
    const page = await person.newPage();
    await page.goto(`${origin}${path}`);
    expect(person.errors.join('\n')).toMatch(error);
    person.expectError(/./);
  });

  it('reports no error for a correct page', async () => {
    const person = await browser.newPerson();
    const page = await person.newPage();
    await page.goto(`${origin}/`);
    expect([await page.title(), person.errors]).toEqual(['Whole', []]);
  });

  it('gives each person separate cookies, which their tabs share', async () => {
    const [ada, bob] = [await browser.newPerson(), await browser.newPerson()];
    await ada.context.addCookies([{ name: 'who', value: 'ada', url: origin }]);
    const cookiesIn = async (person: typeof ada): Promise<string> => {
      const page = await person.newPage();
      await page.goto(`${origin}/`);
      return page.evaluate('document.cookie');
    };
    expect([await cookiesIn(ada), await cookiesIn(ada), await cookiesIn(bob)]).toEqual([
      'who=ada',
      'who=ada',
      '',
    ]);
  });
});
