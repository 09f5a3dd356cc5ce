import { rssMb } from '../measure.ts'

/** Begins to sample the resident memory of a process. The returned function ends this, and returns the highest value in MB. */
export function peakRss(pid: number, everyMs = 20): () => number {
  let most = rssMb(pid)
  const sampling = setInterval(() => {
    most = Math.max(most, rssMb(pid))
  }, everyMs)
  return () => {
    clearInterval(sampling)
    return most
  }
}
