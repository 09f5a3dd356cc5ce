/** Stores the text of the form for sending, but only while the page is loaded again in another language. */
import { BEFORE_RELOAD } from '../../texts/language.ts'

const KEY = 'svc_draft'

export interface KeptDraft {
  instance: string
  operation: string
  phone: string
  text: string
  json: string
  at: string
}

/** Returns the stored draft of the instance and deletes it. */
export function takeDraft(instance: string): KeptDraft | undefined {
  try {
    const stored = sessionStorage.getItem(KEY)
    sessionStorage.removeItem(KEY)
    const draft = JSON.parse(stored ?? 'null') as KeptDraft | null
    return draft?.instance === instance ? draft : undefined
  } catch {
    // A browser that refuses storage has stored nothing.
    return undefined
  }
}

/** Stores the draft before the page is loaded again in another language. Returns a function that stops this. */
export function keepBeforeReload(draft: () => KeptDraft): () => void {
  const keep = () => {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(draft()))
    } catch {
      // A browser that refuses storage shows an empty form after the reload.
    }
  }
  addEventListener(BEFORE_RELOAD, keep)
  return () => removeEventListener(BEFORE_RELOAD, keep)
}
