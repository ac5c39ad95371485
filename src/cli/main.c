// SPDX-License-Identifier: GPL-2.0-only
/* The program: picks the sub-command and turns its result into an exit status. */
int main(void)
{
	return 2;
}
