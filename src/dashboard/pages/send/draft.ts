/** The content of the form for sending, and the request for this content. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { readPhone } from '../../../domain/phone-input.ts'
import { Refused } from '../../api/refused.ts'
import { isoOf } from '../../parts/time.tsx'
import { t } from '../../texts/t.ts'
import { keepBeforeReload, takeDraft } from './kept-draft.ts'
import { draftOf, KINDS, type Kind, pathOf, TEXT } from './kinds.ts'

export interface Draft {
  kind: Kind
  phone: string
  text: string
  json: string
  file: File | undefined
  at: string
}

function parsedBody(json: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(json)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  } catch {
    // The text is no JSON. It is refused with the same sentence as JSON that is not an object.
  }
  throw new Refused(0, 'invalid_request', '', [{ path: 'body', message: t('must be a JSON object') }])
}

export function bodyOf({ kind, phone, text, json, file, at }: Draft, data: string): Record<string, unknown> {
  const recipient = kind.takesPhone ? { phone: readPhone(phone).phone } : {}
  const later = at === '' ? {} : { send_at: isoOf(at) }
  if (kind === TEXT) return { ...recipient, message: text, ...later }
  if (kind.file === null) return { ...recipient, ...parsedBody(json), ...later }
  const named = 'file_name' in kind.example && file ? { file_name: file.name } : {}
  return { ...recipient, [kind.file]: data, ...named, ...(kind.hasCaption && text !== '' ? { caption: text } : {}), ...later }
}

/**
 * Returns the request as a program would send it, with a placeholder for a file. Undefined if the JSON is not an
 * object.
 */
export function requestOf(instance: string, draft: Draft) {
  try {
    const body = bodyOf(draft, draft.file ? `data:…;base64,… of ${draft.file.name}` : 'https://…')
    return { instance, path: pathOf(draft.kind, draft.file?.name), body }
  } catch {
    return undefined
  }
}

export function isComplete({ kind, phone, text, file }: Draft): boolean {
  if (kind.takesPhone && phone.trim() === '') return false
  if (kind === TEXT) return text !== ''
  return kind.file === null || file !== undefined
}

const kindOf = (operation: string) => KINDS.find((each) => each.operation === operation) ?? TEXT

const contentOf = (kind: Kind) => ({
  text: '',
  json: kind === TEXT || kind.file !== null ? '' : draftOf(kind),
  file: undefined,
  at: '',
})

function firstDraft(instance: string): Draft {
  const { operation, ...kept } = takeDraft(instance) ?? { operation: '', phone: '', text: t('Hello from svc'), json: '', at: '' }
  return { ...kept, kind: kindOf(operation), file: undefined }
}

export function useDraft(instance: string) {
  const [draft, setDraft] = useState(() => firstDraft(instance))
  const latest = useRef(draft)
  latest.current = draft
  useEffect(
    () =>
      keepBeforeReload(() => {
        const { kind, phone, text, json, at } = latest.current
        return { instance, operation: kind.operation, phone, text, json, at }
      }),
    [instance],
  )
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  return {
    draft,
    set,
    setKind: (operation: string) => {
      const kind = kindOf(operation)
      if (kind !== draft.kind) set({ kind, ...contentOf(kind) })
    },
    /** Empties the form. Kind and recipient stay, because the next message often goes to the same person. */
    clear: () => set(contentOf(draft.kind)),
  }
}
