/**
 * Words of conversation that say nothing of code, in the forms in which people write them. A question is searched
 * without them: code and documents have few of them, so each would count as a rare word.
 */
export const everydayWords: ReadonlySet<string> = new Set(
  (
    'able accepting actual affect affects afraid afterwards ago agree alone already although always amount annoying ' +
    'answer anyway apart apparently appear appears appreciate around arrive arrived arrives aside ask asked asking ' +
    'asks assume assumed attempt attempts audit auditor aware away awesome badly barely based basically beat became ' +
    'become becomes beginning behave behaves behavior behaviour behind believe belong belongs best better bizarre ' +
    'blame blew blow blows bother bothers breakpoint bring bringing brings brought btw bug bugs bumped bunch care ' +
    'careful carefully carries carry catches certain chance cheap cheaper cheers choke chokes chose chosen claim ' +
    'claims clearly clever clue colleague colleagues come comes coming complain complained complaining complains ' +
    'completely concrete concretely confirm confused confusing consider considered considering contain contains ' +
    'convinced cope copes correctly counts couple curious customer customers deal deals debugging decent deeper ' +
    'deeply definitely depend depending depends despite details died dies differ differently difficult directly ' +
    'distinction distinguish doubt drags earlier easily easy effect effectively eight eighth eleven ended ends ' +
    'engineer enough entire entirely especially eventually everywhere exact expected expecting expects experience ' +
    'explanation eye face fact fair fairly familiar far feel feels fifth fifty figure figured fine fire fired fires ' +
    'five folks forever forget forgot four fourth framework fresh friend fully fun funny fyi generally glance gone ' +
    'good grateful great guarantee guess guy guys halfway happily hard harder hate hear heard hey holds honest ' +
    'honestly hope hoping huge hundred idea imagine immediately important impossible inside instead intend intended ' +
    'intention interested interesting internally invent invented involved irritating kick kicks kind knowing knows ' +
    'lands lately leads learn leave leaves literally little long longer looked looks lots love lovely luck luckily ' +
    'machine machines mainly maintainer manage manages manually matter matters meaning mechanics mention mentioned ' +
    'mess middle mind mine miss missed moment month months morning mystery naive naively nasty naturally near nearby ' +
    'nearly neat never newcomer newcomers nice nicely night nine nobody normally noted nothing notice noticed ' +
    'notices obvious obviously occasionally odd oddly odds ones opinion ordinary originally otherwise ours outcome ' +
    'outside overall owe part particular perfect perfectly pick picked picking picks piece pieces plus poke poking ' +
    'possible possibly practically precisely prefer present presumably pretty previously probably problem problems ' +
    'proper properly prove purpose purposely puts puzzled puzzles quick quickly quietly real realise reality realize ' +
    'reason reasons recently relevant rely remember remembers repeatedly reproduce respectively reviewer reviewing ' +
    'rid risk rough roughly said sane saying says seeing seen sees sense seven several ship shipped shipping ships ' +
    'short showed showing sick sight silently simple simplify simply sit sits situation six slightly small smart ' +
    'sneaky somehow sometimes somewhere soon sooner spend spent spot spotted stay staying stays story straight ' +
    'strange strangely strikes struggle struggling stuck stuff suddenly suppose supposed sure surely surprise ' +
    'surprised surprising survive survives suspect suspicious swear taken taking talk talking team teammate tempted ' +
    'ten terrible thinking thought thousand three throughout tight tired today told tomorrow tonight took touched ' +
    'touching trick tricky trouble true turn turned turning turns tweak tweaking twelve twenty two typical typically ' +
    'unclear understanding understood unexpectedly unfamiliar unfortunately unless unsure unusual upgrade upgraded ' +
    'upgrading usual usually various visitor visitors vs wait waiting walking wanting ways week weeks weird whatever ' +
    'whenever wherever whoever willing wins wish wonder wondered wondering wonders worked worried worries worry ' +
    'worst worth wrote year years yesterday yours'
  ).split(' '),
);
