/** Time in ms after which the browser has certainly begun to save a file, so that the memory of the file can be freed. */
const SAVED_AFTER = 60_000

/** Lets the browser save a file that the page made. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_AFTER)
}
