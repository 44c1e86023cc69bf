import { type Configuration, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';

const { Check, Prompt } = interactionPolicy;

type Policy = NonNullable<NonNullable<Configuration['interactions']>['policy']>;

/**
 * Every authorization asks: who it is and what they allow must be answered for this very request. What the browser said
 * before decides nothing, so nothing is ever granted silently (RFC 9700 section 4.11.2). One page answers all of it.
 */
export function askEachTime(): Policy {
  const policy = interactionPolicy.base();
  policy.clear();
  policy.add(new Prompt({ name: 'select_account', requestable: true }));
  policy.add(
    new Prompt(
      { name: 'login', requestable: true },
      new Check('not_signed_in', 'a person has to sign in', (ctx) => isUnanswered(ctx, 'login')),
    ),
  );
  policy.add(
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('not_allowed', 'a person has to allow it', (ctx) => isUnanswered(ctx, 'consent')),
    ),
  );
  return policy;
}

function isUnanswered({ oidc }: KoaContextWithOIDC, answer: 'login' | 'consent'): boolean {
  return oidc.result?.[answer] === undefined;
}
