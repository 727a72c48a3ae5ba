/** Credentials for one request or connection. */
export interface Credentials {
  /** Lower-case names; empty when a client certificate or nothing is used. */
  readonly headers: Readonly<Record<string, string>>
  /** PEM client certificate and key. */
  readonly cert?: string
  readonly key?: string
  /** PEM bundle that replaces {@link ClusterAccess.ca}; set if the authority comes from a file that may be rotated. */
  readonly ca?: string
}

/** Address, trust and credentials of one API server, as `loadKubeconfig` finds them. */
export interface ClusterAccess {
  /** Origin: a file name, or `service account`. */
  readonly source: string
  readonly context: string
  /** `https://host:port[/prefix]`, or `http://` if the kubeconfig has an http URL; without a slash at the end. */
  readonly server: string
  /** The context's namespace; undefined means `default`. */
  readonly namespace: string | undefined
  /** PEM bundle of trusted authorities; undefined means the system's roots. */
  readonly ca: string | undefined
  /** Name to verify in the server's certificate instead of the host (`tls-server-name`). */
  readonly tlsServerName: string | undefined
  /** `http://`, `https://` or `socks5://` proxy that connections go through (`proxy-url`); default: none. */
  readonly proxyUrl?: string
  /** True only if the kubeconfig sets `insecure-skip-tls-verify: true`. */
  readonly skipTlsVerify: boolean
  /** @throws KubeconfigError BERTH_KUBECONFIG_CREDENTIALS */
  readonly credentials: CredentialSource
}

/** Which credentials to read again. Default: those of files that were last read more than a minute ago. */
export interface CredentialOptions {
  /**
   * Reads token, certificate and authority files and runs exec plugins again: after a 401, or if the server's certificate is
   * not trusted.
   */
  readonly refresh?: boolean
  /** Reads certificate and authority files again: a new connection uses the rotated ones at once. */
  readonly isConnecting?: boolean
}

/** Returns credentials, usually from a cache. */
export type CredentialSource = (options?: CredentialOptions) => Promise<Credentials>
