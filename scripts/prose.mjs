/**
 * Checks the sentences in comments, in log and error messages, and in the documentation for signs of a sentence that is hard to read. `node
 * scripts/prose.mjs` prints each problem with its place, and ends with code 1 if there is one. `test/unit/service/prose.test.ts` has samples of good
 * and bad sentences.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Words that only this project uses, or that are hard to understand, each with the term to use instead. */
const WORDS = [
  [/\banew\b/i, '"again" or "new"'],
  [/\bany ?more\b/i, '"no longer"'],
  [/\bfor ever\b/i, '"forever"'],
  [/\b(hears|heard) (of|nothing|from|it)\b/i, '"receives" or "learns"'],
  [/\b(tells?|told) of\b/i, '"reports"'],
  [/\bknocks?\b/i, '"connects" or "requests"'],
  [/\bpretend (network|phones?|people|person)\b/i, '"simulated"'],
  [/\b(the|its) hull\b/i, 'the name of the part'],
  [/\bwhoever|whomever\b/i, '"the caller", "a program" or another noun'],
  [/\bbrought in\b/i, '"imported" or "loaded"'],
  [/\bmakes? room\b/i, '"evicts" or "frees space"'],
  [/\blooked at at\b/i, '"checked"'],
]

/**
 * Matches a text that is only a preposition and its noun, as in `Of the ticket.`: readers cannot know what has this
 * relation to the ticket. A unit (`In ms.`) is not matched.
 */
const BARE =
  /^(?:Of|By|Behind|With|Without|After|Before|In|On|At|From|To|As|Beside|Beyond|Under|Over|Between)\b(?! (?:most|least|ms|seconds|bytes|MB|KB|epoch)\b)(?: [^\s.,:;]+){1,5}\.$/
const VERB =
  /\b(?:is|are|was|were|be|has|have|had|do|does|did|may|must|can|could|will|would|needs?|stays?|sees?|means?|returns?|shows?)\b/

/** Matches a statement whose subject is a question word, as in "What it said has arrived." */
const RIDDLE = /(?:^|[.;] )(?:What|Who|Whatever|Whose)\b[^.;?]*[.;]/

/** Matches a value and a colon in place of a sentence, as in "Undefined: there is none." */
const ELLIPTIC = /(?:^|[.;] )(?:Undefined|Null|Absent|False|True|Empty|Zero): |\b(?:otherwise|else) -?\d+[.;]?$/

/** Matches a citation of a document that is not in this repository. */
const ELSEWHERE = /\bshared\/(?:api|design|spec)\b|\b(?:BAILEYS|WIRE|SIGNAL|INBOUND|NETWORK|STACK)(?:\.md)? \d/

const MOST_WORDS = 60

const RULES = [
  ...WORDS.map(([sign, term]) => [sign, `is a private word; use ${term}`]),
  [RIDDLE, 'has a question word as its subject; name the thing'],
  [ELLIPTIC, 'is no sentence; write "Undefined if …", or what is returned'],
  [ELSEWHERE, 'cites a document that is not in the repository; state the fact'],
]

/** Returns the text with `it` in place of code and addresses, which are not checked. */
const withoutCode = (text) => text.replace(/`[^`]*`/g, 'it').replace(/\bhttps?:\/\/\S+/g, 'it')

export function problemsOf(text) {
  const prose = withoutCode(text).trim()
  const found = RULES.flatMap(([sign, problem]) => {
    const hit = sign.exec(prose)
    return hit ? [`"${hit[0].trim()}" ${problem}`] : []
  })
  if (BARE.test(prose) && !VERB.test(prose)) found.push(`"${prose}" has no noun before its preposition; begin with the noun`)
  const longest = Math.max(...prose.split(/[.:;?!](?:\s|$)|\n/).map((sentence) => sentence.split(/\s+/).length))
  return longest > MOST_WORDS ? [...found, `a sentence has ${longest} words; ${MOST_WORDS} are the most`] : found
}

const OWN_LINE = /^\s*(\/\/|\/\*\*?|\*(?!\/))\s?(.*?)\s*(?:\*\/)?$/
const CONTINUED = /^\s*(?:\/\/|\*(?!\/))\s?(.*?)\s*(?:\*\/)?$/
const BEHIND_CODE = /\S\s+\/\/\s([^'"`]+)$/
const NO_PROSE = /^(?:biome-ignore|@ts-|#region|eslint)/
const MESSAGES = [
  /\b(?:log|logger)\.(?:trace|debug|info|warn|error|fatal)\(.*?(['"`])((?:(?!\1).){12,})\1/,
  /(?:\bmessage: |new \w*(?:Error|Failure)\(|\bdescription: |\bsummary: )(['"`])((?:(?!\1).){12,})\1/,
]

export function textsOf(source) {
  const lines = source.split('\n')
  const texts = []
  for (let i = 0; i < lines.length; i++) {
    const line = i + 1
    const own = OWN_LINE.exec(lines[i])
    if (!own) {
      const comment = BEHIND_CODE.exec(lines[i])?.[1]
      for (const text of [comment, ...MESSAGES.map((sign) => sign.exec(lines[i])?.[2])]) if (text) texts.push({ line, text })
      continue
    }
    const parts = [own[2]]
    const isClosed = lines[i].includes('*/')
    while (!isClosed && i + 1 < lines.length && CONTINUED.test(lines[i + 1])) {
      parts.push(CONTINUED.exec(lines[++i])[1])
      if (lines[i].includes('*/')) break
    }
    for (const paragraph of parts.join('\n').split(/\n\s*\n|\n(?=\s*[-|])/)) {
      const text = paragraph.replace(/\s+/g, ' ').trim()
      if (text && !NO_PROSE.test(text)) texts.push({ line, text })
    }
  }
  return texts
}

/**
 * Returns the paragraphs and table cells of a Markdown file, each with the number of its first line. Headings and code
 * are left out.
 */
export function proseOf(markdown) {
  const texts = []
  let isCode = false
  let isOpen = false
  for (const [index, line] of markdown.split('\n').entries()) {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    const isProse = !isFence && !isCode && line.trim() !== '' && !line.startsWith('#')
    const cells = isProse ? line.split(/(?<!\\)\|/) : []
    if (isOpen && cells.length === 1 && !/^\s*(?:[-*>]|\d+\.) /.test(line)) texts.at(-1).text += ` ${line.trim()}`
    else for (const cell of cells) if (cell.trim()) texts.push({ line: index + 1, text: cell.replace(/^[\s>*-]+/, '') })
    isOpen = cells.length === 1
  }
  return texts
}

const SOURCES = ['.ci', 'bench', 'packages', 'scripts', 'src', 'test', 'workers']
const PAGES = ['*.md']
/**
 * Files that are not checked: generated files, pages in other languages, pages that quote the names of tests, and the
 * journal of measurements.
 */
const NOT_CHECKED = /\/generated\/|^docs\/(?:pt|es)\/|^docs\/(?:server-kinds|wire-facts)\.md$|^bench\/README\.md$/

const tracked = (...paths) =>
  execFileSync('git', ['ls-files', '--', ...paths], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)

/** Matches a mark that Git leaves in a file with a conflict. In a comment, such a mark is no error of the compiler. */
const CONFLICT = /^(?:<{7}|>{7}) /
export const conflictsOf = (source) =>
  source
    .split('\n')
    .flatMap((text, index) => (CONFLICT.test(text) ? [`:${index + 1}  is the mark of a merge; keep one of the two texts`] : []))

function main() {
  const checked = [
    ...tracked(...SOURCES)
      .filter((file) => /\.(?:ts|tsx|mjs)$/.test(file) && !NOT_CHECKED.test(file))
      .map((file) => [file, textsOf]),
    ...tracked(...PAGES)
      .filter((file) => /\.md$/.test(file) && !NOT_CHECKED.test(file))
      .map((file) => [file, proseOf]),
  ]
  const problems = checked.flatMap(([file, read]) => {
    const source = readFileSync(file, 'utf8')
    const hard = read(source).flatMap(({ line, text }) => problemsOf(text).map((problem) => `:${line}  ${problem}`))
    return [...conflictsOf(source), ...hard].map((problem) => `${file}${problem}`)
  })
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  if (problems.length > 0) process.stderr.write(`Found ${problems.length} errors: these sentences are hard to read.\n`)
  process.exitCode = problems.length > 0 ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
