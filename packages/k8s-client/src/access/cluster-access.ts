/** What proves who we are, for one request or connection. */
export interface Credentials {
  /** Lower-case names; empty when a client certificate or nothing is used. */
  readonly headers: Readonly<Record<string, string>>
  /** PEM client certificate and key. */
  readonly cert?: string
  readonly key?: string
  /** PEM bundle that counts instead of {@link ClusterAccess.ca}; set where it comes from a file that is rotated. */
  readonly ca?: string
}

/** Everything needed to connect to one API server. Made by `loadKubeconfig`. */
export interface ClusterAccess {
  /** Where it was found: a file name, or `service account`. */
  readonly source: string
  readonly context: string
  /** `https://host:port[/prefix]`, or `http://` where the kubeconfig says so; no slash at the end. */
  readonly server: string
  /** The context's namespace; undefined means `default`. */
  readonly namespace: string | undefined
  /** PEM bundle; undefined means the system's roots. */
  readonly ca: string | undefined
  /** Name to verify instead of the host. */
  readonly tlsServerName: string | undefined
  /** `http://`, `https://` or `socks5://` proxy that connections go through (`proxy-url`); default: none. */
  readonly proxyUrl?: string
  /** True only where the kubeconfig says `insecure-skip-tls-verify: true`. */
  readonly skipTlsVerify: boolean
  /**
   * The credentials; cached. `refresh` reads token and authority files and runs exec plugins again: after a 401, or when
   * the server's certificate is not trusted.
   *
   * @throws KubeconfigError BERTH_KUBECONFIG_CREDENTIALS
   */
  credentials(options?: { readonly refresh?: boolean }): Promise<Credentials>
}
