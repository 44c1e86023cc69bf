import { type Configuration, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';

const { Check, Prompt } = interactionPolicy;

type Policy = NonNullable<NonNullable<Configuration['interactions']>['policy']>;

/**
 * Creates a policy that prompts for sign-in and consent in every authorization. Earlier decisions of the browser do not
 * count, so that nothing is granted silently (RFC 9700 section 4.11.2). One page handles all prompts.
 */
export function alwaysPromptPolicy(): Policy {
  const policy = interactionPolicy.base();
  policy.clear();
  policy.add(new Prompt({ name: 'select_account', requestable: true }));
  policy.add(
    new Prompt(
      { name: 'login', requestable: true },
      new Check('not_signed_in', 'the user must sign in', (ctx) => isUnanswered(ctx, 'login')),
    ),
  );
  policy.add(
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('not_allowed', 'the user must allow it', (ctx) => isUnanswered(ctx, 'consent')),
    ),
  );
  return policy;
}

function isUnanswered({ oidc }: KoaContextWithOIDC, answer: 'login' | 'consent'): boolean {
  return oidc.result?.[answer] === undefined;
}
