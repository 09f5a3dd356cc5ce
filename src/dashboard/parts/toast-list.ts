/** The short messages that are shown in the corner (`toasts.tsx`). */
import { signal } from '@preact/signals'

export interface Toast {
  id: number
  text: string
}

const SHOWN_MS = 6_000
const MOST = 3
export const toasts = signal<readonly Toast[]>([])
let last = 0

export const dropToast = (id: number) => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

export function showToast(text: string): void {
  const id = ++last
  toasts.value = [...toasts.value.slice(1 - MOST), { id, text }]
  setTimeout(() => dropToast(id), SHOWN_MS)
}
