/**
 * Words of conversation that say nothing of code, in the forms in which people write them. A question is searched
 * without them: code and documents have few of them, so each would count as a rare word.
 */
export const everydayWords: ReadonlySet<string> = new Set(
  (
    'able actual actually afraid afterwards ago agree alone already although always amount annoying answer anyway ' +
    'apart apparently appear appears appreciate aren aside ask asked asking asks assume assumed audit auditor ' +
    'aware away awesome badly barely based basically beat beginning behave behaves behavior behaviour believe ' +
    'best better bizarre blame breakpoint bring brings btw bug bugs bunch care careful carefully certain chance ' +
    'cheap cheaper cheers choke chokes claim claims clearly clever clue colleague colleagues come comes coming ' +
    'complain complained complaining complains completely concrete concretely confirm confused confusing consider ' +
    'considering convinced cope copes correctly couple curious customer customers deal deals debugging decent ' +
    'deeper depending details differ differently difficult directly distinguish doubt earlier easily easy effect ' +
    'effectively else engineer enough entire entirely especially eventually expected expecting expects experience ' +
    'explanation eye face fact fair fairly familiar far feel feels figure figured fine fire fired fires folks ' +
    'forget forgot framework friend fully fun funny fyi generally gone good grateful great guarantee guess guy ' +
    'guys hard harder hate hear heard hey honest honestly hope hoping huge idea imagine immediately important ' +
    'instead intend intended intention interested interesting internally involved irritating kick kicks kind ' +
    'lately learn leave leaves literally little long longer love lovely luck mainly maintainer manage manages ' +
    'manually matter matters mechanics mention mentioned mess middle mind mine miss missed moment month months ' +
    'morning mystery naive naively nasty near nearly neat newcomer nice nicely night nobody normally obvious ' +
    'obviously odd oddly ones ordinary originally otherwise overall owe part particular perfect perfectly plus ' +
    'poke poking possible possibly practically precisely prefer present pretty previously probably problem ' +
    'problems proper properly prove puts puzzled puzzles quick quickly quietly quite real realise reality realize ' +
    'reason reasons recently relevant rely remember repeatedly reproduce respectively reviewer reviewing rid risk ' +
    'rough roughly sane seeing seen sense short showed sick silently simplify simply sit sits situation slightly ' +
    'small smart sneaky somehow somewhere soon spot spotted straight strange strangely stuck stuff suddenly ' +
    'suppose supposed sure surprise surprised surprising survive survives suspect suspicious swear talk talking ' +
    'team teammate tempted terrible thank thinking thought tight today told tomorrow tonight took touched trick ' +
    'tricky trouble true tweak tweaking two typical typically understanding understood unless unsure unusual ' +
    'upgrade upgraded upgrading usual usually various vs wait waiting wanting ways week weeks weird whatever ' +
    'whenever wherever willing wish wonder wondered wondering wonders worried worry worst worth year years ' +
    'yesterday'
  ).split(' '),
);
