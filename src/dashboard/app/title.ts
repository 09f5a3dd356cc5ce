import { t } from '../texts/t.ts'

export function setTitle(page: string): void {
  document.title = t('{page} · svc dashboard', { page })
}
