/** Words that ask or say that something exists, and are not what is asked about. */
const askingWords =
  /^(?:introduc|creat|chang|fix|call|invok|import|referenc|own|recent|latel|latest|wrote|writ|review|maintain|br[eo]ak|broke|touch|affect|impact|depend|mean|find|explain|happen|caus|investigat|responsib|decid|determin|cho[os]|know|support|built|provid|offer|turn|enabl|pick|pull|ask|come|configur|handl|guard|protect|speak|wir(?:e|es|ed|ing)$|hook(?:s|ed)?$|patch(?:es|ed)?$|wonder|blow|want|need|actual|happen|read|set$|check|(?:per|via|behind|beyond|across|among|upon|toward|towards)$|(?:class|function|method|file|module|service|part|place)(?:e?s)?$)/iu;

/** Returns whether a word of a question asks, and is not what is asked about. */
export function isAskingWord(word: string): boolean {
  return askingWords.test(word);
}
