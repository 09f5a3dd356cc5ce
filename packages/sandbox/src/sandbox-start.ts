/** The options and the result of a start of the network. Other threads and programs use them, and load no code of the network. */

export interface SandboxNetworkOptions {
  /** Folder of phones, keys and media. If it is absent, everything is lost when the process ends. */
  dataDir?: string | undefined
  /**
   * Whether phones and keys are written to the folder after each change. If it is false, they are lost when the process
   * ends. Media are always written.
   */
  keep?: boolean | undefined
  /** Port of the WebSocket server. With 0, or if it is absent, it is any free port. */
  port?: number | undefined
  controlPort?: number | undefined
  /** File or folder to which every stanza is written. */
  trace?: string | undefined
}

/** The result of the start. It consists of plain data, so that it can be sent between threads. */
export interface SandboxNetworkReady {
  /**
   * Settings with which a gateway uses this network: `SVC_NETWORK_URL`, `_ROOT`, `_CA` and `_MEDIA_HOST`. The serial
   * number of the root is for other clients, which check it as well.
   */
  network: { url: string; root: string; root_serial: number; ca: string; media_host: string }
  controlUrl: string
}
