/** The page of a connect link: the pairing page with the language, name and color of the operator. */
import type { ConnectLink, ConnectOperator } from '../domain/connect-link.ts'
import { Failure } from '../domain/failures.ts'
import { contained } from '../domain/isolated-text.ts'
import type { Page } from '../features/parts.ts'
import { escaped, makePage } from './page.ts'
import { pairingBody, pairingStyle } from './pairing.ts'
import { type PairingPlace, pairingScript, tellScript } from './pairing-script.ts'
import { PAIRING_WORDS, type PairingWords } from './pairing-words.ts'

const OPERATIONS = "location.pathname.split('/').pop() + '/'"
type Look = Pick<ConnectLink, 'locale' | 'operator' | 'allowedOrigins'>
const UNKNOWN: Look = { locale: 'en', operator: { name: null, color: null }, allowedOrigins: [] }

/** Weights of red, green and blue in the brightness that people see (ITU-R BT.601). */
const BRIGHTNESS = [0.299, 0.587, 0.114]
/** Brightness above which black text is easier to read than white text. */
const BRIGHT = 150

function inkOn(color: string): string {
  const parts = BRIGHTNESS.map((weight, at) => weight * Number.parseInt(color.slice(1 + 2 * at, 3 + 2 * at), 16))
  return parts.reduce((sum, part) => sum + part) > BRIGHT ? '#000' : '#fff'
}

/**
 * Returns the style of a page with the operator's color. Text does not get the color, because it would be unreadable in
 * a light color.
 */
const styleOf = ({ color }: ConnectOperator) =>
  color === null
    ? ''
    : `main { border-top: 6px solid ${color} } button { background: ${color}; border-color: ${color}; color: ${inkOn(color)} }`

/** Returns the name of the operator, isolated so that it does not change the direction of the text around it. */
const nameOf = ({ name }: ConnectOperator) => (name === null ? '' : `<p class="soft"><bdi>${escaped(contained(name))}</bdi></p>`)

function commonOf({ locale: language, operator, allowedOrigins: framedBy }: Look) {
  const words = PAIRING_WORDS[language]
  return {
    words,
    name: nameOf(operator),
    page: { title: words.title, style: pairingStyle + styleOf(operator), language, framedBy },
  }
}

export function connectPage(link: ConnectLink): Page {
  const { words, name, page } = commonOf(link)
  const place: PairingPlace = {
    words,
    operations: OPERATIONS,
    root: '../',
    link: { id: link.id, frames: link.allowedOrigins },
    lastPhone: null,
  }
  return makePage({ ...page, body: name + pairingBody(place, words.needsScript), script: pairingScript(place), connects: true })
}

function sentenceOf({ failures, ended, used }: PairingWords, { code, details, message }: Failure): string {
  if (code === 'unauthorized') return details?.reason === 'used' ? used : ended
  return failures === null ? message : (failures[code] ?? failures.otherwise)
}

const refusalBody = ({ title }: PairingWords, sentence: string) => `<h1>${title}</h1><p role="alert">${escaped(sentence)}</p>`

function pageForNobody(refusal: Failure): Page {
  const { words, page } = commonOf(UNKNOWN)
  return makePage({ ...page, body: refusalBody(words, sentenceOf(words, refusal)) })
}

/** Pages for a link that does not exist. They are built once, so that a guess of a link takes little work. */
const FOR_NOBODY: ReadonlyMap<string, Page> = new Map(
  (['unauthorized', 'rate_limited'] as const).map((code) => [code, pageForNobody(new Failure(code))]),
)

/**
 * Page that explains a refusal. Only if the link has ended is the framing page notified, because other refusals are
 * temporary.
 */
export function connectRefusalPage(link: ConnectLink | undefined, refusal: Failure): Page {
  if (link === undefined) return FOR_NOBODY.get(refusal.code) ?? pageForNobody(refusal)
  const { words, name, page } = commonOf(link)
  const body = name + refusalBody(words, sentenceOf(words, refusal))
  if (refusal.code !== 'unauthorized') return makePage({ ...page, body })
  return makePage({ ...page, body, script: `${tellScript({ id: link.id, frames: link.allowedOrigins })}tell('ended')\n` })
}
