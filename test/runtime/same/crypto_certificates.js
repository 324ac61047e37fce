'use strict';
// X509Certificate: what certificates say, questions about them, and what is refused with which words.
const { X509Certificate } = require('crypto');
const c = require('crypto');
const ca = `-----BEGIN CERTIFICATE-----
MIIDczCCAlugAwIBAgIIEjRWeJCrze8wDQYJKoZIhvcNAQELBQAwTjELMAkGA1UE
BhMCREUxFjAUBgNVBAoMDUV4YW1wbGUsIEx0ZC4xEDAOBgNVBAsMB09uZSJUd28x
FTATBgNVBAMMDEV4YW1wbGUgUm9vdDAgFw0yNjExMTkwNDUzNDdaGA8yMTI2MTAy
NjA0NTM0N1owTjELMAkGA1UEBhMCREUxFjAUBgNVBAoMDUV4YW1wbGUsIEx0ZC4x
EDAOBgNVBAsMB09uZSJUd28xFTATBgNVBAMMDEV4YW1wbGUgUm9vdDCCASIwDQYJ
KoZIhvcNAQEBBQADggEPADCCAQoCggEBAMcKGLg/iyF/7XSlOhFCYsPotsf4+TKA
Rk68hjEj/5wuLN5J47L0SjX4mKBQj2WB4zlh7HeOmrt02rnjMDpzjY/hYhB2WyBK
mx/7zBOyX0zicizvptahmyO3JEfev5wevPiE7J3YeUtOkC3ATCtPasCjExSELt2w
15PXJYK2lxlTX4AeX32h/zxX7V799BEUBgSSg0u0sYfWUqu/eMV6BffBuKj5cTfT
bAhiokpYs+caCs+JeFyI+QbIOBHRQLuFVqgiA+j1AtMPHBqZaUJ6b4sA0ClkBZMD
3U211/Gvlf8XOVnNViHCXpBX3AutXi1hJbeB/cb/BffLKgz/gajHYaUCAwEAAaNT
MFEwHQYDVR0OBBYEFLjdTkh4tnNCauJBhCu+WNzgg5w2MB8GA1UdIwQYMBaAFLjd
Tkh4tnNCauJBhCu+WNzgg5w2MA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQEL
BQADggEBABMS9RHi43dHwiPSB/MafBT5vDyNV4fW1YpiIk0c4ImhiMXRct1Hz2aG
IyaFgm89UajXgzrCPccQVbqYTgYtdCMnvGU6QMjQ4nGk9B7YR5NWiuqfrxgmdtqD
m6lBs1N2pghp8xsA1x+gUkMvpk69Prkl1D80pco6aUJuzT9pNWNL3kE3KmIYa7N8
VeyTzeXUCZOYYOZ1Yl6c4cTW6AAHMDUJ9Yye9R7LuljOZiNqVmexl4hNjABU/gsv
FoL6h+51w8AijJWied6acWvODFlhQuVnel1d67rR5DPTYfqbcMdkUaKknGUAA0xI
L9cwN+ugOY5wgkhK/iq07Mea1gc7enU=
-----END CERTIFICATE-----`;
const ec = `-----BEGIN CERTIFICATE-----
MIIDuDCCAqCgAwIBAgIBTTANBgkqhkiG9w0BAQsFADBOMQswCQYDVQQGEwJERTEW
MBQGA1UECgwNRXhhbXBsZSwgTHRkLjEQMA4GA1UECwwHT25lIlR3bzEVMBMGA1UE
AwwMRXhhbXBsZSBSb290MCAXDTI2MTExOTA0NTQ0NloYDzIxMjUwNjEzMDQ1NDQ2
WjBWMQswCQYDVQQGEwJERTERMA8GA1UEBwwITcO8bmNoZW4xFjAUBgNVBAMMDWEu
ZXhhbXBsZS5jb20xHDAaBgkqhkiG9w0BCQEWDXhAZXhhbXBsZS5jb20wWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAASrD7vq+HnVQl70Ta9whMkRlE+GwRh4yaVdjqds
COVF0dXy1kfk45IFbGM+aezDZs8vrTqAc9rULyLVO7sqHhsUo4IBYDCCAVwwgZ8G
A1UdEQSBlzCBlIINYS5leGFtcGxlLmNvbYIPKi5iLmV4YW1wbGUuY29thwR/AAAB
hxAAAAAAAAAAAAAAAAAAAAABgQ14QGV4YW1wbGUuY29thhhodHRwOi8vZXhhbXBs
ZS5jb20vYT9iPWOIAyoDBKQdMBsxCzAJBgNVBAYTAkRFMQwwCgYDVQQDDANhLGKg
DQYDKgMEoAYMBHNvbWUwHQYDVR0lBBYwFAYIKwYBBQUHAwEGCCsGAQUFBwMCMFkG
CCsGAQUFBwEBBE0wSzAkBggrBgEFBQcwAYYYaHR0cDovL29jc3AuZXhhbXBsZS5j
b20vMCMGCCsGAQUFBzAChhdodHRwOi8vY2EuZXhhbXBsZS5jb20veDAdBgNVHQ4E
FgQU056qVCy+l+ODak7J+5Z9aJm8sqEwHwYDVR0jBBgwFoAUuN1OSHi2c0Jq4kGE
K75Y3OCDnDYwDQYJKoZIhvcNAQELBQADggEBAKKwQ1A91q/aE1XQYUIoM4ymFdUH
n5QPg74LZfn+I9ym4sDIBvwb5PAC8YgxvKoQOqfjcRmddR9PRoF8fEEpjnyW9Aok
I6rn1HzThN7U8nHL6Rs/OehOtoyy5EgIdW/+kZUKA5foYfGmCTcIxbrINJ7149eo
6qUMSwAbGkc2VWHj8GE7iPAn2O8DFZrEMWINbjKi804zQSRPG+H1wgVOpZvkV0wf
/FcBfy+lFfjHvKJS9LtfLcR+/u/lmREEMt5FiSdrfUbDSYt93Lne457xRag/xdZJ
TriX8pcltWFWMuWLgosrrNzBtahPz59d7+HsFpdaDNV3lBVpCVGHtgnNbfA=
-----END CERTIFICATE-----`;
const ed = `-----BEGIN CERTIFICATE-----
MIIBTzCCAQGgAwIBAgIUROqXiIyGsnfqBY+tLioaGHQR+bQwBQYDK2VwMBwxGjAY
BgNVBAMMEXBsYWluLmV4YW1wbGUub3JnMCAXDTI2MTExOTA0NTM0OFoYDzIxMjUw
NjEzMDQ1MzQ4WjAcMRowGAYDVQQDDBFwbGFpbi5leGFtcGxlLm9yZzAqMAUGAytl
cAMhAP8LsdlzBfUHfrfNjQ+t9yvvztlb8W8CV0VvKxtA2lngo1MwUTAdBgNVHQ4E
FgQUln8o+Ensl+UdU7Ji/+pA9D+feq4wHwYDVR0jBBgwFoAUln8o+Ensl+UdU7Ji
/+pA9D+feq4wDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXADQQAN2F3TtJ8OuOb2+K6n
TqiATK+vv+r4aWrRJgwDia2r1rBKjoFLJTeig772pHcsNKrGFdkeHZLnKzfrAibO
NUwI
-----END CERTIFICATE-----`;
const ecKey = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIMMu01r0nltYpUifoCGYAVC8b3plWoRJNz3+a8AYV8PwoAoGCCqGSM49
AwEHoUQDQgAEqw+76vh51UJe9E2vcITJEZRPhsEYeMmlXY6nbAjlRdHV8tZH5OOS
BWxjPmnsw2bPL606gHPa1C8i1Tu7Kh4bFA==
-----END EC PRIVATE KEY-----`;
for (const pem of [ca, ec, ed]) {
  const x = new X509Certificate(pem);
  console.log(x, x.toLegacyObject(), x.ca, x.publicKey.asymmetricKeyType, x.toString().length, x.raw.length, x.verify(x.publicKey), x.checkIssued(x));
  for (const name of ['a.example.com', 'x.b.example.com', 'y.x.b.example.com', 'plain.example.org', 'Example Root', '*.b.example.com']) console.log(name, x.checkHost(name), x.checkHost(name, { subject: 'always' }), x.checkHost(name, { wildcards: false }), x.checkHost(name, { subject: 'never', multiLabelWildcards: true }));
  for (const name of ['127.0.0.1', '::1', '8.8.8.8']) console.log(name, x.checkIP(name));
  console.log(x.checkEmail('x@example.com'), x.checkEmail('y@example.com'), x.checkEmail('X@EXAMPLE.COM'));
}
const x = new X509Certificate(ec), agent = c.createPrivateKey(ecKey), root = new X509Certificate(ca);
console.log(x.checkIssued(root), root.checkIssued(x), x.verify(root.publicKey), x.checkPrivateKey(agent), root.checkPrivateKey(agent), new X509Certificate(x.raw).fingerprint === x.fingerprint);
const T=(n,f)=>{try{console.log(n,f())}catch(e){console.log(n,e.name,e.code,e.message,e.library,e.opensslErrorStack)}};
T(1,()=>new X509Certificate());T(2,()=>new X509Certificate(1));T(3,()=>new X509Certificate(''));T(4,()=>new X509Certificate(new ArrayBuffer(3)));T(5,()=>new X509Certificate('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'));
T(6,()=>x.checkHost());T(7,()=>x.checkHost(1));T(8,()=>x.checkHost('a',1));T(9,()=>x.checkHost('agent1',{subject:'never'}));T(10,()=>x.checkHost('a',{subject:'x'}));T(11,()=>x.checkHost('a',{wildcards:1}));T(12,()=>x.checkHost('a\0b'));T(13,()=>x.checkIP('x'));T(14,()=>x.checkIP(1));T(15,()=>x.checkEmail());T(16,()=>x.checkEmail('not an email'));T(17,()=>x.checkIssued(1));T(18,()=>x.checkPrivateKey(1));T(19,()=>x.checkPrivateKey(x.publicKey));T(20,()=>x.checkPrivateKey(agent));T(21,()=>x.verify(1));T(22,()=>x.verify(agent));
T(25,()=>JSON.stringify(x)===JSON.stringify(x.toString()));T(26,()=>x.checkHost(''));T(27,()=>x.checkIP(''));T(28,()=>x.checkEmail(''));T(29,()=>Object.keys(x));
