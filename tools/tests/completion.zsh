# SPDX-License-Identifier: MIT
#
# Types $LINE and a tab into a zsh that has the completions in $FOLDER, and writes all matches to
# $DIR/hits, one on each line. It is run as: zsh -f completion.zsh

mkdir -p $DIR/zsh
: >$DIR/hits
cat >$DIR/zsh/.zshrc <<-'END'
	PROMPT= LISTMAX=0
	fpath=($FOLDER $fpath)
	autoload -Uz compinit
	compinit -u -d $DIR/zsh/dump
	zstyle ':completion:*' menu no
	setopt extendedglob

	# Functions call compadd with -O, -A or -D to filter arrays. All other calls add matches.
	compadd() {
		local -a hits
		if [[ -n ${(M)@:#-[a-zA-Z]#[OAD]*} ]]; then
			builtin compadd "$@"
			return
		fi
		builtin compadd -A hits "$@"
		(( $#hits )) && print -rl -- $hits >>$DIR/hits
		builtin compadd "$@"
	}

	capture() {
		zle complete-word
		exit 0
	}
	zle -N capture
	bindkey '^I' capture
END
zmodload zsh/zpty
export ZDOTDIR=$DIR/zsh DIR FOLDER
zpty shell zsh -i
zpty -w -n shell $LINE$'\t'
while zpty -r shell output; do
	:
done
