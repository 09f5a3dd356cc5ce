/**
 * The rule for names and notes of instances, API keys, workspaces and similar, which this service stores and displays.
 * Such a text must show all of its characters and must not change how the text around it is displayed. Texts that go to
 * WhatsApp are not checked here.
 */

/**
 * Scripts in which an invisible joiner between letters is part of the spelling: Persian `می‌خواهم`, Sinhala `ශ්‍රී`.
 */
const JOINING_SCRIPTS = [
  ...['Arabic', 'Syriac', 'Nko', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu'],
  ...['Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan', 'Balinese', 'Javanese'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('')

/** Invisible characters that are allowed in certain places. Most of them change how the character beside them looks. */
const BELONGING = [
  // Flag of a part of a country, such as England: a black flag, its code in tag characters, and an end tag.
  String.raw`\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F}`,
  // Joiner between two emoji, as in families and professions.
  String.raw`(?<=\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?)\u200D(?=\p{Extended_Pictographic})`,
  // Characters that select the emoji or the plain form of the character before them.
  String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  // Character that selects a variant of an ideograph; names of people contain it.
  String.raw`(?<=\p{Ideographic})[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]`,
  String.raw`(?<=[${JOINING_SCRIPTS}])[\u200C\u200D]`,
  String.raw`(?<=\p{Script=Mongolian})[\u180B-\u180F]`,
  String.raw`(?<=[\u2801-\u28FF])\u2800(?=[\u2801-\u28FF])`,
].join('|')

/**
 * Characters that a displayed text must not have, with the words for the error message. The first matching row decides.
 */
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

/**
 * Returns the normal form of a displayed text: no leading or trailing space, and NFC, so that equal texts have equal
 * bytes.
 */
export const tidied = (text: string): string => text.trim().normalize('NFC')

/** Returns the problem of a normalised text as the end of a sentence about its field; undefined if there is none. */
export function problemOfDisplayText(text: string): string | undefined {
  for (const { groups } of text.matchAll(PARTS)) {
    const character = groups?.unfit
    if (character === undefined) continue
    const words = KINDS.find(([kind]) => kind.test(character))?.[1] ?? 'character'
    return `must not have the ${words} ${codeOf(character)}`
  }
  return undefined
}

/** Reads a name of 1 to `max` UTF-16 code units. Returns the normalised name, or the problem. */
export function readName(given: string, max: number): { name: string } | { problem: string } {
  const name = tidied(given)
  const problem = name.length < 1 || name.length > max ? `must have 1 to ${max} visible characters` : problemOfDisplayText(name)
  return problem === undefined ? { name } : { problem }
}

/**
 * Makes a text safe for a terminal. A name from an older release may contain characters that move the cursor or change
 * the text direction.
 */
export const printable = (text: string): string =>
  text.replace(PARTS, (part, ...rest) => {
    const { unfit } = rest.at(-1) as { unfit?: string }
    return unfit === undefined ? part : `<${codeOf(unfit)}>`
  })

/** Letters of another alphabet and, at the same positions, the Latin letters that look the same. */
const DRAWN_ALIKE = [
  ['АВЕЅІЈКМНОРСТХУԌԚԜѴһаеѕіјорсухԁԛԝѵ', 'ABESIJKMHOPCTXYGQWVhaesijopcyxdqwv'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺοϲϳνι', 'ABEZHIKMNOPTYXCMocjvi'],
] as const
const LATIN = new Map(DRAWN_ALIKE.flatMap(([others, latin]) => [...others].map((letter, at) => [letter, [...latin][at]!])))

/**
 * Returns a form of the text for comparisons, with no invisible characters, single spaces and normal widths. Cyrillic
 * and Greek letters that look like Latin ones become Latin.
 */
export function lookOf(text: string): string {
  const plain = text.normalize('NFKC').replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu, '')
  return Array.from(plain.replace(/[\s\u2800]+/gu, ' ').trim(), (letter) => LATIN.get(letter) ?? letter).join('')
}
