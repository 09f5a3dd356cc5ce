/** Waits for something to end, but no longer than this. */
export async function within(ended: Promise<unknown> | undefined, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([ended, late])
  clearTimeout(timer)
}
