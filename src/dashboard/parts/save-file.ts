/** Milliseconds after which the browser has certainly begun to save the file, so that its memory can be freed. */
const SAVED_AFTER = 60_000

export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_AFTER)
}
