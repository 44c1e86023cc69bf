import type { BrowserSession } from '../../features/identity/sign-in/session.ts';
import type { SignedInPerson } from './kit/html/frame.ts';
import type { Visitor } from './kit/requests/visitor.ts';
import type { PageContext } from './pages-deps.ts';
import { signOutPurpose } from './sign-in/sign-out-routes.ts';

/** A visitor who is signed in. */
export type Person = Visitor & { readonly session: BrowserSession };

export function isSignedIn(visitor: Visitor): visitor is Person {
  return visitor.session !== undefined;
}

/** Returns the person for the page header, with a sign-out form that redirects to `returnTo`. */
export function signedInPerson({ tokens }: PageContext, visitor: Person, returnTo?: string): SignedInPerson {
  return {
    email: visitor.session.email,
    signOut: {
      csrf: tokens.issue(visitor, signOutPurpose),
      ...(returnTo !== undefined && { returnTo }),
    },
  };
}
