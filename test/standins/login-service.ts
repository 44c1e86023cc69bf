import { randomUUID } from 'node:crypto';
import {
  type SeenRequest,
  type StandInAnswer,
  type StandInService,
  standInService,
} from '../support/program/command-line.ts';

/** The state of the stand-in; tests change it while it runs. */
export interface LoginServiceState {
  /** Responses of the token endpoint to the device code, in order; afterwards the code is confirmed. */
  readonly polls: (StandInAnswer | 'gone')[];
  /** Lifetime of an access token, in seconds. */
  expiresIn: number;
  codeExpiresIn: number;
  /** Fields that are added to the metadata or replace it. */
  metadata: Readonly<Record<string, unknown>>;
  /** The valid refresh token; each use replaces it. */
  refreshToken: string;
  accessToken: string;
  /** Responses of the token endpoint to a refresh, in order; afterwards it succeeds. `gone` closes the connection. */
  readonly refreshes: (StandInAnswer | 'gone')[];
  /** The revoked tokens. */
  readonly revoked: string[];
  /** Response of every other path to a request with a valid bearer token. */
  rest: (request: SeenRequest) => StandInAnswer;
}

export interface LoginService extends StandInService {
  readonly state: LoginServiceState;
}

const problem = (status: number, code: string): StandInAnswer => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: { type: 'about:blank', title: code, status, detail: `Say ${code}.`, code, requestId: 'r-1' },
});

export const caller = {
  user: { id: 'u-1', email: 'ada@example.com' },
  organization: { slug: 'acme', name: 'Acme', role: 'owner' },
  credential: { kind: 'oauth', id: 'g-1', name: 'orgctx', expiresAt: '2027-01-01T00:00:00.000Z' },
  scopes: ['api'],
};

/** Starts a stand-in of orgctx for `orgctx login`: RFC 8414, 8628, 6749, 7009 and the REST routes of a test. */
export async function openLoginService(): Promise<LoginService> {
  const state: LoginServiceState = {
    polls: [],
    expiresIn: 3600,
    codeExpiresIn: 600,
    metadata: {},
    refreshToken: 'rt-first',
    accessToken: 'at-first',
    refreshes: [],
    revoked: [],
    rest: () => ({ body: caller }),
  };
  let url = '';
  const service = await standInService((request) => {
    const path = new URL(request.url, 'http://x').pathname;
    const answer = answers[path]?.(request) ?? resource(request);
    return answer === 'gone' ? truncated : answer;
  });
  url = service.url;

  const tokens = (): StandInAnswer => {
    state.accessToken = `at-${randomUUID()}`;
    state.refreshToken = `rt-${randomUUID()}`;
    return {
      body: {
        access_token: state.accessToken,
        token_type: 'Bearer',
        expires_in: state.expiresIn,
        refresh_token: state.refreshToken,
        scope: 'api offline_access',
      },
    };
  };
  const refused = (error: string): StandInAnswer => ({
    status: 400,
    body: { error, error_description: error },
  });
  const token = ({ body }: SeenRequest): StandInAnswer | 'gone' => {
    const form = body as Readonly<Record<string, string>>;
    if (form['client_id'] !== 'orgctx-cli') return refused('invalid_client');
    if (form['grant_type'] !== 'refresh_token') return state.polls.shift() ?? tokens();
    const planned = state.refreshes.shift();
    if (planned !== undefined) return planned;
    return form['refresh_token'] === state.refreshToken ? tokens() : refused('invalid_grant');
  };
  const resource = (request: SeenRequest): StandInAnswer =>
    request.headers.authorization === `Bearer ${state.accessToken}`
      ? state.rest(request)
      : problem(401, 'invalid_token');
  const answers: Readonly<Record<string, (request: SeenRequest) => StandInAnswer | 'gone'>> = {
    '/.well-known/oauth-authorization-server': () => ({
      body: {
        issuer: url,
        token_endpoint: `${url}/.auth/token`,
        device_authorization_endpoint: `${url}/.auth/device-authorization`,
        revocation_endpoint: `${url}/.auth/revoke`,
        ...state.metadata,
      },
    }),
    '/.auth/device-authorization': () => ({
      body: {
        device_code: 'dc-secret',
        user_code: 'BCDF-GHJK',
        verification_uri: `${url}/.auth/device`,
        verification_uri_complete: `${url}/.auth/device?user_code=BCDF-GHJK`,
        expires_in: state.codeExpiresIn,
        interval: 0.1,
      },
    }),
    '/.auth/token': token,
    '/.auth/revoke': ({ body }) => {
      state.revoked.push((body as { token: string }).token);
      return { body: {} };
    },
  };
  return { ...service, state };
}

/** A truncated response: the connection ends in the middle of the body. */
const truncated: StandInAnswer = { headers: { 'content-length': '1000', connection: 'close' }, body: '{' };
