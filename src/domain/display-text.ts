/**
 * The one rule for names and notes that this service keeps and shows to people: instances, API keys, workspaces, apps, notes of the allowlist.
 * A text that is read in a list, a log or a terminal must show all of its characters, and must not change how the text around it is read.
 * Texts that go to WhatsApp (messages, subjects, profiles) have the rules of WhatsApp and are not checked here.
 */

/** Scripts in which a joiner between letters is spelling: Persian `می‌خواهم`, Sinhala `ශ්‍රී`. */
const JOINING_SCRIPTS = [
  ...['Arabic', 'Syriac', 'Nko', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu'],
  ...['Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan', 'Balinese', 'Javanese'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('')

/** Invisible characters in the places where they belong, because they decide how the character beside them looks. */
const BELONGING = [
  // A flag of a part of a country: England is a black flag, its code in tags, and the end of the tags.
  String.raw`\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F}`,
  // A joiner between two emoji: families, professions.
  String.raw`(?<=\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?)\u200D(?=\p{Extended_Pictographic})`,
  // The choice between an emoji and its plain sign, and a key cap.
  String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  // The variant of an ideograph, as names of people have it.
  String.raw`(?<=\p{Ideographic})[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]`,
  String.raw`(?<=[${JOINING_SCRIPTS}])[\u200C\u200D]`,
  String.raw`(?<=\p{Script=Mongolian})[\u180B-\u180F]`,
  // The empty cell between cells of braille.
  String.raw`(?<=[\u2801-\u28FF])\u2800(?=[\u2801-\u28FF])`,
].join('|')

/** Each kind of character that a shown text must not have, with the words of the refusal. The first row that fits decides. */
const UNFIT: readonly (readonly [characters: string, words: string])[] = [
  [String.raw`\n\v\f\r\u0085\u2028\u2029`, 'line break'],
  [String.raw`\p{Cc}`, 'control character'],
  [String.raw`\p{Cs}`, 'unpaired surrogate'],
  [String.raw`\p{Bidi_Control}`, 'direction control'],
  [String.raw`\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2800`, 'invisible character'],
  [String.raw`\p{Noncharacter_Code_Point}`, 'noncharacter'],
]
const KINDS = UNFIT.map(([characters, words]) => [new RegExp(`[${characters}]`, 'u'), words] as const)
const PARTS = new RegExp(`(?:${BELONGING})|(?<unfit>[${UNFIT.map(([characters]) => characters).join('')}])`, 'gu')

const codeOf = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`

/** How a shown text is kept: without space around it, and each character in its composed form, so that equal texts have equal bytes. */
export const tidied = (text: string): string => text.trim().normalize('NFC')

/** The problem with a tidied text, for the end of a sentence about its field; undefined when there is none. */
export function problemOfDisplayText(text: string): string | undefined {
  for (const { groups } of text.matchAll(PARTS)) {
    const character = groups?.unfit
    if (character === undefined) continue
    const words = KINDS.find(([kind]) => kind.test(character))?.[1] ?? 'character'
    return `must not have the ${words} ${codeOf(character)}`
  }
  return undefined
}

/** A name of 1 to `max` UTF-16 code units for callers without the schemas of `features`: the tidied name, or the problem with it. */
export function readName(given: string, max: number): { name: string } | { problem: string } {
  const name = tidied(given)
  const problem = name.length < 1 || name.length > max ? `must have 1 to ${max} visible characters` : problemOfDisplayText(name)
  return problem === undefined ? { name } : { problem }
}

/** A text for a terminal. A name that was stored before the rule may have characters that move the cursor or turn the line. */
export const printable = (text: string): string =>
  text.replace(PARTS, (part, ...rest) => {
    const { unfit } = rest.at(-1) as { unfit?: string }
    return unfit === undefined ? part : `<${codeOf(unfit)}>`
  })

/** Letters of other scripts that are drawn as the Latin letter below them. */
const DRAWN_ALIKE = [
  ['АВЕЅІЈКМНОРСТХУԌԚԜѴһаеѕіјорсухԁԛԝѵ', 'ABESIJKMHOPCTXYGQWVhaesijopcyxdqwv'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺοϲϳνι', 'ABEZHIKMNOPTYXCMocjvi'],
] as const
const LATIN = new Map(DRAWN_ALIKE.flatMap(([others, latin]) => [...others].map((letter, at) => [letter, [...latin][at]!])))

/**
 * Texts of one look read the same in a list: they differ at most in invisible characters, in widths and forms of a character, in spaces, and
 * in letters that several scripts draw alike. Case counts.
 */
export function lookOf(text: string): string {
  const plain = text.normalize('NFKC').replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu, '')
  return Array.from(plain.replace(/[\s\u2800]+/gu, ' ').trim(), (letter) => LATIN.get(letter) ?? letter).join('')
}
