import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OrganizationId, UserId } from '../../foundation/kernel/ids.ts';
import type { VerifyAccessToken } from '../identity/access/authenticate.ts';
import type { OAuthPages } from './pages.ts';

/**
 * The authorization server (RFC 6749, 8252, 8628, 9700). It handles the requests to its endpoints itself. The consent
 * page is outside of it and uses `pending`, `allow` and `deny`. The code that opens the server must also close it.
 */
export interface AuthorizationServer {
  /**
   * Handles a request to an endpoint of `oauthPaths`. Headers that are already set are sent with the response.
   * @throws OAuthError, RateLimited; in each case nothing has been sent yet
   */
  handle(request: IncomingMessage, response: ServerResponse, read: ReadRequest): Promise<void>;
  /** The HTML pages of the server, also used for requests that are refused before they reach it. */
  readonly pages: OAuthPages;
  /** Returns the server metadata (RFC 8414). It changes while the server runs. */
  metadata(): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Returns the authorization that is pending at `/.auth/interaction/:uid`, if this browser started it; `undefined` if
   * nothing is pending there. Claims the code of a device for the signed-in user.
   * @throws Forbidden if another user has claimed that code
   */
  pending(
    request: IncomingMessage,
    response: ServerResponse,
    userId: UserId | undefined,
  ): Promise<PendingAuthorization | undefined>;
  /**
   * Grants the pending authorization for one organization. Returns the absolute URL to redirect the browser to, with
   * 303. Idempotent: a second call returns the same URL and grants nothing more.
   * @throws NotFound if nothing is pending; Forbidden unless the user is a member of the organization
   */
  allow(request: IncomingMessage, response: ServerResponse, decision: AllowDecision): Promise<string>;
  /**
   * Denies the pending authorization. Returns the absolute URL to redirect to.
   * @throws NotFound if nothing is pending
   */
  deny(request: IncomingMessage, response: ServerResponse): Promise<string>;
  /**
   * Returns the redirect URL of an authorization that the same user already decided in the same browser, for a form
   * that was submitted twice or a response that was lost. Grants nothing. `undefined` if there was no decision, or if
   * another user made it.
   */
  answered(request: IncomingMessage, response: ServerResponse, userId: UserId): Promise<string | undefined>;
  /**
   * Starts the authorization of a device, in the browser where the user code was entered (RFC 8628 section 3.3).
   * Returns the absolute URL to redirect the browser to, with 303; `undefined` for a code that is mistyped, expired or
   * already decided.
   * @throws RateLimited after too many codes
   */
  enterDeviceCode(
    typed: TypedUserCode,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<string | undefined>;
  /** Returns the name of a registered client; `undefined` if it is unknown or identified by a URL. */
  clientName(clientId: string): Promise<string | undefined>;
  readonly verifyAccessToken: VerifyAccessToken;
  close(): Promise<void>;
}

export interface AllowDecision extends OAuthCaller {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
}

/** Data about the sender that the request itself does not reliably contain, because of proxies. */
export interface OAuthCaller {
  readonly address?: string | undefined;
}

/** A request whose body has been read. */
export interface ReadRequest extends OAuthCaller {
  /** The whole body as text; empty if there is none. */
  readonly body: string;
}

/** A user code as a person typed it. */
export interface TypedUserCode extends OAuthCaller {
  readonly text: string;
  /** A secret identifier of the browser. */
  readonly browser: string;
}

export interface PendingAuthorization {
  readonly uid: string;
  /** The client's description of itself, which is not verified. */
  readonly client: { readonly id: string; readonly name: string; readonly uri?: string };
  readonly redirect: PendingRedirect;
  readonly scopes: readonly string[];
}

/** The destination of the authorization response. */
export type PendingRedirect =
  | { readonly kind: 'web' | 'loopback'; readonly origin: string; readonly host: string }
  | { readonly kind: 'app'; readonly scheme: string }
  | {
      readonly kind: 'device';
      readonly userCode: string;
      /** The address of the device that requested the code. */
      readonly address?: string;
      readonly userAgent?: string;
    };
