/**
 * The one way out by mail: a message over the SMTP server of the node's own settings. That server is chosen by whoever
 * runs the node, as the database is, so that it may lie in a private network.
 */
import type * as Nodemailer from 'nodemailer'
import { EvertickError } from '../core/error.ts'
import { isRecord } from '../core/unknown-value.ts'
import { loadDriver } from '../store/load-driver.ts'

export interface Mail {
  /** The same for each try. */
  readonly messageId: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface Mailed {
  /** 250, or what else the server has said. */
  readonly status: number
  /** Who will not have it, though others will. */
  readonly refused: readonly string[]
}

/** `smtps://user:password@smtp.example.com?from=evertick@example.com`, and nothing of it in a word about it. */
export class MailServer {
  readonly #server: {
    readonly host: string
    readonly port: number
    readonly secure: boolean
    readonly auth?: { readonly user: string; readonly pass: string }
  }
  readonly #from: string

  constructor(url: string) {
    const parsed = URL.canParse(url) ? new URL(url) : null
    if (parsed === null || !/^smtps?:$/.test(parsed.protocol) || parsed.hostname === '') {
      throw invalid('The address of the SMTP server is not valid.')
    }
    const [user, pass] = [parsed.username, parsed.password].map(decodeURIComponent)
    const unknown = [...parsed.searchParams.keys()].find((key) => key !== 'from')
    if (unknown !== undefined) throw invalid(`The address of the SMTP server has a part "${unknown}".`)
    const from = parsed.searchParams.get('from') ?? user ?? ''
    if (!isMailAddress(from)) throw invalid('The address of the SMTP server does not say who mails are from.')
    const secure = parsed.protocol === 'smtps:'
    const port = parsed.port === '' ? (secure ? 465 : 587) : Number(parsed.port)
    const host = parsed.hostname.replace(/^\[|\]$/g, '')
    const auth = user === undefined || user === '' ? {} : { auth: { user, pass: pass ?? '' } }
    this.#server = { host, port, secure, ...auth }
    this.#from = from
  }

  /** Rejects in words that name no secret. */
  async send(mail: Mail, { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal }): Promise<Mailed> {
    const { createTransport } = await loadDriver('nodemailer', () => import('nodemailer'))
    const { auth, host } = this.#server
    // A password goes nowhere unencrypted, but to this host itself.
    const requireTLS = auth !== undefined && !isLoopback(host)
    const quiet = { disableFileAccess: true, disableUrlAccess: true }
    const transport = createTransport({ ...this.#server, ...quiet, requireTLS })
    const late = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    try {
      return mailed(await transport.sendMail({ ...this.#letter(mail), signal: late }))
    } catch (error) {
      const hangs = `no answer in ${timeoutMs} ms, or the delivery was cancelled`
      throw failed(host, late.aborted ? hangs : wordsOf(error), error)
    } finally {
      transport.close()
    }
  }

  #letter({ messageId, to, subject, text, html }: Mail): Nodemailer.SendMailOptions {
    const [, domain = 'evertick'] = this.#from.split('@')
    return {
      from: { name: 'Evertick', address: this.#from },
      to: to.map((address) => ({ name: '', address })),
      messageId: `<${messageId}@${domain}>`,
      subject,
      text,
      html,
      // No machine need answer it.
      headers: { 'auto-submitted': 'auto-generated' },
    }
  }
}

/** The driver's answer has no type of its own. */
function mailed(answer: unknown): Mailed {
  const { rejected, response } = isRecord(answer) ? answer : {}
  const refused = Array.isArray(rejected) ? rejected.filter((one) => typeof one === 'string') : []
  return { status: Number.parseInt(String(response), 10), refused }
}

/** Deliberately narrow: what it refuses is rare, and nothing that it takes means more than one address. */
export function isMailAddress(text: string): boolean {
  return text.length <= 254 && /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d+){3}$/.test(host)
}

/** A number and a code, such as `550 EENVELOPE`: the words of a server may repeat what it was sent. */
function wordsOf(error: unknown): string {
  const { responseCode, code } = isRecord(error) ? error : {}
  const parts = [responseCode, code].filter((part) => typeof part === 'string' || typeof part === 'number')
  return parts.length === 0 ? 'the connection failed' : `it answered ${parts.join(' ')}`
}

function failed(host: string, why: string, cause: unknown): EvertickError {
  return new EvertickError('outbound_failed', `The mail by ${host} failed: ${why}.`, {
    next: 'Check the address of the SMTP server, its password, and to whom the mail goes.',
    cause,
  })
}

function invalid(message: string): EvertickError {
  return new EvertickError('invalid_config', message, {
    field: 'smtp',
    next: 'Write smtps://user:password@smtp.example.com?from=evertick@example.com, or smtp:// for STARTTLS.',
  })
}
