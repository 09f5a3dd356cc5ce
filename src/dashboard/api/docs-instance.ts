/**
 * Stores the id and the token of an instance for the API reference (the page `/docs`), whose fields for both are then filled in. They are kept for
 * this browser tab, until somebody signs out.
 */

/** Key in the session storage, under which the API reference reads the instance (`src/pages/docs-script.ts`). */
const KEY = 'svc_docs'

/** Stores the instance for the API reference. If the browser refuses storage, the fields for id and token stay empty there. */
export function keepForDocs({ id, token }: { id: string; token: string }): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ instance_id: id, token }))
  } catch {
    // Without storage, the API reference asks the user for the id and the token.
  }
}

export function dropForDocs(): void {
  try {
    sessionStorage.removeItem(KEY)
  } catch {
    // A browser that refuses storage has stored nothing.
  }
}
