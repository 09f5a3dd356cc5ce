/**
 * Shows text of other people, such as names and answers of receivers, without interpreting it as markup. The text is
 * isolated, so that its direction controls do not affect the text around it.
 */
import { contained } from '../../domain/isolated-text.ts'

export const Name = ({ children, class: name, title }: { children: string; class?: string; title?: string }) => (
  <bdi class={name} title={title}>
    {contained(children)}
  </bdi>
)

/** Matches control characters, and characters that change the direction of the text after them. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}]/gu
const LAYOUT = new Set(['\n', '\r', '\t'])

export const visible = (text: string) =>
  text.replace(INVISIBLE, (each) => (LAYOUT.has(each) ? each : `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`))

/** Shows a text in which the parts between backticks are code. */
export const Words = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={`${at}${part}`}>{part}</code> : part))}</>
)

/** Makes words from the name of a field: `auto_read_message` becomes "Auto read message". */
export const readable = (name: string) => {
  const words = name
    .replaceAll('_', ' ')
    .replace(/\burl\b/, 'URL')
    .replace(/\bms\b/, '(ms)')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const phoneText = (phone: string | null) => (phone === null ? '–' : /^\d+$/.test(phone) ? `+${phone}` : phone)

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB']
export function bytesText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${BYTES[step]}`
}
