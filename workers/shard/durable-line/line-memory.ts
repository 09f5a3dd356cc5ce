export interface LineMemoryOptions<V> {
  idOf(value: V): string
  maxRows?: number
  maxBytes?: number
  bytesOf?(value: V): number
}

export function createLineMemory<V extends {}>(options: LineMemoryOptions<V>) {
  const { idOf, bytesOf = () => 0, maxRows = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = options
  const coming = new Map<string, V>()
  let rows: V[] = []
  let bytes = 0

  const isOver = () => coming.size + rows.length > maxRows || bytes > maxBytes

  function without(value: V | undefined): V | undefined {
    if (value !== undefined) bytes -= bytesOf(value)
    return value
  }

  function drop(id: string): V | undefined {
    const value = without(coming.get(id))
    coming.delete(id)
    return value
  }

  return {
    get rows(): readonly V[] {
      return rows
    },
    insert(value: V): void {
      const id = idOf(value)
      let at = rows.length
      while (at > 0 && idOf(rows[at - 1]!) > id) at--
      rows.splice(at, 0, value)
      bytes += bytesOf(value)
    },
    remove(id: string): void {
      if (rows.length === 0 || idOf(rows[0]!) > id) return
      const at = rows.findIndex((value) => idOf(value) === id)
      if (at !== -1) without(rows.splice(at, 1)[0])
    },
    clear(): void {
      rows.forEach(without)
      rows = []
    },
    coming(value: V): string | undefined {
      coming.set(idOf(value), value)
      bytes += bytesOf(value)
      let last: string | undefined
      while (rows.length > 1 && isOver()) {
        without(rows.pop())
        last = idOf(rows.at(-1)!)
      }
      // A row whose commit failed would stay here forever, so the oldest rows are evicted first.
      for (const id of coming.keys()) {
        if (!isOver()) break
        drop(id)
      }
      return last
    },
    drop,
  }
}
