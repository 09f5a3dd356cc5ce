/** The options and the result of a start of the network. This file loads no code of the network. */

export interface SandboxNetworkOptions {
  dataDir?: string | undefined
  /**
   * Whether the state is written to the data folder. If false, phones and keys are lost when the process ends. Media
   * are written in both cases.
   */
  keep?: boolean | undefined
  port?: number | undefined
  controlPort?: number | undefined
  trace?: string | undefined
}

/** Addresses of a network that has started. They are plain data, so that threads can exchange them. */
export interface SandboxNetworkReady {
  /**
   * Values for `SVC_NETWORK_URL`, `_ROOT`, `_CA` and `_MEDIA_HOST` of a gateway. Other clients also check the serial
   * number of the root.
   */
  network: { url: string; root: string; root_serial: number; ca: string; media_host: string }
  controlUrl: string
}
