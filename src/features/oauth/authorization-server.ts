import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OrganizationId, UserId } from '../../foundation/kernel/ids.ts';
import type { VerifyAccessToken } from '../identity/access/authenticate.ts';
import type { OAuthPages } from './pages.ts';

/**
 * The authorization server (RFC 6749, 8252, 8628, 9700). It answers its endpoints itself; the page that asks a person
 * stands outside and decides by `pending`, `allow` and `deny`. A resource: whoever opens it closes it.
 */
export interface AuthorizationServer {
  /**
   * Answers a request to an endpoint of `oauthPaths`. Headers that are set already go out with the answer.
   * @throws OAuthFault, RateLimited, TooLarge before anything is answered
   */
  handle(request: IncomingMessage, response: ServerResponse, caller?: OAuthCaller): Promise<void>;
  /** What it shows to people, for what is refused in its place. */
  readonly pages: OAuthPages;
  /** RFC 8414. */
  metadata(): Readonly<Record<string, unknown>>;
  /**
   * What is asked at `/.auth/interaction/:uid`, of the browser that it was begun in; `undefined` where nothing waits
   * there any more.
   */
  pending(request: IncomingMessage, response: ServerResponse): Promise<PendingAuthorization | undefined>;
  /**
   * Grants what is pending, for one organization. Gives the absolute URL to send the browser to, with 303. Said twice
   * it leads there again and grants nothing more.
   * @throws NotFound where nothing waits, Forbidden unless the user is a member there.
   */
  allow(request: IncomingMessage, response: ServerResponse, decision: AllowDecision): Promise<string>;
  /** Refuses it. Gives the absolute URL to send the browser to. @throws NotFound where nothing waits. */
  deny(request: IncomingMessage, response: ServerResponse): Promise<string>;
  /**
   * Where the answer to what waited there led, for the same person in the same browser, whose form came twice or who
   * never saw where it led: nothing more is granted. `undefined` where nothing was answered, or by somebody else.
   */
  answered(request: IncomingMessage, response: ServerResponse, userId: UserId): Promise<string | undefined>;
  /**
   * Begins what a device asks for, in the browser where its code was typed (RFC 8628 section 3.3). Gives the absolute
   * URL to send the browser to, with 303; `undefined` for a code that is mistyped, expired, answered, or was typed in
   * another browser before.
   * @throws RateLimited once that were too many codes
   */
  claimDeviceCode(
    typed: TypedUserCode,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<string | undefined>;
  /** What a registered client calls itself; `undefined` for one that is unknown or named by a URL. */
  clientName(clientId: string): Promise<string | undefined>;
  readonly verifyAccessToken: VerifyAccessToken;
  close(): Promise<void>;
}

export interface AllowDecision extends OAuthCaller {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
}

/** What the server cannot see of a request: proxies stand between. */
export interface OAuthCaller {
  readonly address?: string | undefined;
}

/** A code as a person typed it. */
export interface TypedUserCode extends OAuthCaller {
  readonly text: string;
  /** A secret name of the browser. */
  readonly browser: string;
}

export interface PendingAuthorization {
  readonly uid: string;
  /** As the client describes itself: nobody has verified it. */
  readonly client: { readonly id: string; readonly name: string; readonly uri?: string };
  readonly redirect: PendingRedirect;
  /** Source of the policy directive `form-action` that lets the answer reach the client; empty for a device. */
  readonly formAction: string;
  readonly scopes: readonly string[];
}

/** Where the answer will go. */
export type PendingRedirect =
  | { readonly kind: 'web' | 'loopback'; readonly origin: string; readonly host: string }
  | { readonly kind: 'app'; readonly scheme: string }
  | {
      readonly kind: 'device';
      readonly userCode: string;
      /** Of whoever asked for the code. */
      readonly address?: string;
      readonly userAgent?: string;
    };
