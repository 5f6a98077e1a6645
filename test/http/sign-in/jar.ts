/** A browser without its pages: it follows redirects by hand, and keeps cookies as a browser does by name, host and path. */

interface Kept {
  readonly name: string
  readonly value: string
  readonly path: string
  readonly origin: string
}

export class Jar {
  #kept: Kept[] = []
  /** Every address that it was at, in order. */
  readonly went: string[] = []

  /** One step: no redirect is followed. */
  async get(url: string): Promise<Response> {
    this.went.push(url)
    const { origin, pathname } = new URL(url)
    const sent = this.#kept.filter((each) => each.origin === origin && isBelow(pathname, each.path))
    const headers = {
      cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; '),
      accept: 'text/html',
    }
    const response = await fetch(url, { redirect: 'manual', headers })
    for (const text of response.headers.getSetCookie()) this.#keep(text, origin, pathname)
    return response
  }

  /** Until an answer is no redirect, or leads to where `until` says. */
  async follow(
    url: string,
    until: (url: string) => boolean = () => false,
  ): Promise<{ url: string; response: Response }> {
    let at = url
    for (let steps = 0; steps < 20; steps += 1) {
      const response = await this.get(at)
      const location = response.headers.get('location')
      if (location === null) return { url: at, response }
      at = new URL(location, at).href
      if (until(at)) return { url: at, response }
    }
    throw new Error(`No end of redirects from ${url}.`)
  }

  cookie(name: string): string | undefined {
    return this.#kept.find((each) => each.name === name)?.value
  }

  put(origin: string, name: string, value: string, path = '/'): void {
    this.#kept = this.#kept.filter((each) => each.name !== name)
    this.#kept.push({ name, value, path, origin })
  }

  #keep(text: string, origin: string, pathname: string): void {
    const [pair = '', ...attributes] = text.split(';').map((part) => part.trim())
    const [name = '', value = ''] = pair.split(/=(.*)/s, 2)
    const of = (key: string) =>
      attributes.find((part) => part.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1)
    const path = of('path') ?? (pathname.slice(0, pathname.lastIndexOf('/')) || '/')
    this.#kept = this.#kept.filter(
      (each) => !(each.name === name && each.origin === origin && each.path === path),
    )
    const isGone = of('max-age') === '0' || Date.parse(of('expires') ?? '2100-01-01') <= Date.now()
    if (!isGone) this.#kept.push({ name, value, path, origin })
  }
}

function isBelow(pathname: string, path: string): boolean {
  return path === '/' || pathname === path || pathname.startsWith(`${path}/`)
}
