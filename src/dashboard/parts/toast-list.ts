import { signal } from '@preact/signals'

export type ToastKind = 'good' | 'bad'

export interface Toast {
  id: number
  text: string
  kind: ToastKind
}

const SHOWN_MS = 6_000
const MOST = 3
export const toasts = signal<readonly Toast[]>([])
let last = 0

export const dropToast = (id: number) => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** Shows a message. A message about a failure stays until somebody closes it, or newer messages replace it. */
export function showToast(text: string, kind: ToastKind = 'good'): void {
  const id = ++last
  toasts.value = [...toasts.value.slice(1 - MOST), { id, text, kind }]
  if (kind === 'good') setTimeout(() => dropToast(id), SHOWN_MS)
}
