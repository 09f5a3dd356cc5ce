/**
 * Test functions (`Tell` in `story.ts`) about received files: the fields of the event, and the sealed link by which the
 * file can be downloaded.
 */
import type { Event, Story, Tell } from './story.ts'

export const bytes = Buffer.from('the bytes of a file '.repeat(1_000))
export const base64 = bytes.toString('base64')
const link = /^http:\/\/127\.0\.0\.1:\d+\/media\/[\w-]{100,1500}$/
const size = { width: 1_080, height: 1_920 }

/** Makes Ana send a file, compares the whole event, and resolves with the link to the file. */
export async function media(story: Story, message: object, kind: string, block: Event): Promise<string> {
  const url = (value: unknown) => link.test(String(value)) && String(value).startsWith(`${story.world.gateway.baseUrl}/media/`)
  const shared = { url, file_size: bytes.length, download_error: null }
  const event = await story.fromAna(message, { message_type: kind, [kind]: { ...shared, ...block } })
  return (event[kind] as { url: string }).url
}

const pdf = { document: base64, mime: 'application/pdf', file_name: 'Invoice.pdf' }

export const files = {
  async image(story) {
    const block = { mime_type: 'image/jpeg', caption: 'Receipt', ...size }
    await media(story, { image: base64, caption: 'Receipt', ...size }, 'image', block)
  },

  async video(story) {
    const block = { mime_type: 'video/mp4', caption: null, seconds: 13, ...size }
    await media(story, { video: base64, seconds: 13, ...size }, 'video', { ...block, gif: false, ptv: false })
    await media(story, { video: base64, seconds: 13, gif: true, ...size }, 'video', { ...block, gif: true, ptv: false })
    await media(story, { ptv: base64, seconds: 13, ...size }, 'video', { ...block, gif: false, ptv: true })
  },

  async audio(story) {
    const block = { mime_type: 'audio/ogg; codecs=opus', ptt: true, seconds: 10 }
    await media(story, { audio: base64, ptt: true, seconds: 10 }, 'audio', block)
  },

  async document(story) {
    const block = { mime_type: 'application/pdf', file_name: 'Invoice.pdf', title: 'Invoice.pdf', page_count: null }
    await media(story, pdf, 'document', { ...block, caption: null })
    await media(story, { ...pdf, caption: 'Due soon' }, 'document', { ...block, caption: 'Due soon' })
  },

  async sticker(story) {
    const square = { width: 512, height: 512 }
    await media(story, { sticker: base64, ...square }, 'sticker', { mime_type: 'image/webp', animated: false, ...square })
  },
} satisfies Record<string, Tell>
