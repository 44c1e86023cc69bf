/**
 * Words that are not the subject of a question about code. Words that also name things in code (`get`, `set`) are not
 * listed.
 */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also am an and any anybody anyone anything are as at be because been before ' +
    'being below between both but by came can cannot could did do does doing done down during each either else ever ' +
    'every everything few for from further gets give given gives go goes going got had has have having he hello ' +
    'her here hers hi him his how however i if in into is it its itself just know let lets like look looking lot made ' +
    'make makes making many may maybe me mean means might more most much must my need needed needs neither no nor not ' +
    'now of off often ok on once one only onto or other others our out over own people perhaps please put quite rather ' +
    're really same say see seem seems shall she should show shows since so some somebody someone something still such ' +
    'take takes tell tells than thank thanks that the their them then there these they thing things this those through ' +
    'thus to too try trying under until up upon us use used uses using very want wanted wants was way we well went were ' +
    'what when where whether which while who whole whom whose why will with within without would yes yet you your ' +
    'keep keeps kept another explain describe understand happen happens happening work works working code codebase repository repo project ' +
    'implementation implemented implement defined define located exactly actually currently ve ll doesn don isn ' +
    'won couldn wouldn shouldn didn aren wasn foo baz'
  ).split(' '),
);
