/** Time until the browser has certainly begun to save a file, in ms; its memory is then freed. */
const SAVED_AFTER = 60_000

/** Lets the browser save a file that the page made. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_AFTER)
}
