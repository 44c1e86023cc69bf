/** Words that ask or say that something exists, and are not what is asked about. */
const askingWords =
  /^(?:introduc|creat|chang|fix|call|invok|import|referenc|own|recent|latel|latest|wrote|writ|review|maintain|br[eo]ak|broke|touch|affect|impact|depend|mean|find|explain|happen|caus|investigat|responsib|decid|determin|cho[os]|know|support|built|provid|offer|turn|enabl|pick|pull|ask|come|configur|handl|guard|protect|speak|wir(?:e|es|ed|ing)$|hook(?:s|ed)?$|patch(?:es|ed)?$|wonder|blow|want|need|actual|happen|read|set$|check|(?:per|via|behind|beyond|across|among|upon|toward|towards)$|(?:class|function|method|file|module|service|part|place)(?:e?s)?$)/iu;
/** Further words that ask for a change or a person, and say nothing of the content of a change. */
const changeWords =
  /^(?:add|implement|land|appear|first|resolv|solv|address|repair|remov|drop|delet|renam|mov|replac|switch|deprecat|commit|release|version|patch|pr|request|merge|bug|issue|problem|option|feature|functionality|argument|parameter|setting|start|begin|began|stop|get|got|handl|become|became|us|instead|deliberat|purpose|behav|change|idea|contact|talk|help|someone|person|people|know|work|part|stuff|old|new|longer|since|main|main(?:ly|line)|branch|upgrad|updat|now|today)(?:e|e?d|e?s|ing|ion|ely|ior|iour|e?r)?$/iu;

/** Returns whether a word of a question asks, and is not what is asked about. */
export function isAskingWord(word: string): boolean {
  return askingWords.test(word);
}

/** Returns whether a word of a question for a change or a person says nothing of what the change is about. */
export function isChangeWord(word: string): boolean {
  return askingWords.test(word) || changeWords.test(word);
}
